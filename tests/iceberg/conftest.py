# SPDX-License-Identifier: Apache-2.0

"""A session with Delta and Iceberg, by `configure_spark_with_zorder`, and Iceberg's catalogs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from catalogs import NAMES, Catalogs, spark_jars
from pyspark.sql import SparkSession

from launching import PATIENT_COMPILER, delta_jars, small
from spark_zorder import configure_spark_with_zorder

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogs]:
    running = Catalogs(tmp_path_factory.mktemp("catalogs"))
    yield running
    running.rest.end()


@pytest.fixture(scope="session")
def spark(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, catalogs: Catalogs
) -> Iterator[SparkSession]:
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    conf = small(tmp_path_factory.mktemp("spark"), PATIENT_COMPILER) | catalogs.settings()
    # Named by the user, so that none is asked of Maven Central.
    conf["spark.jars"] = ",".join([*delta_jars(), *spark_jars()])
    builder = SparkSession.builder
    if request.config.getoption("--session") == "connect":
        builder = builder.remote(conf.pop("spark.master"))
        # PySpark then takes a free port in place of its fixed one.
        os.environ["SPARK_TESTING"] = "1"
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder, delta=True, iceberg=True).getOrCreate()
    for name in NAMES:
        session.sql(f"CREATE NAMESPACE {name}.db")
    yield session
    session.stop()
