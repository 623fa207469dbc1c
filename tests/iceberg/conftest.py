# SPDX-License-Identifier: Apache-2.0

"""A session with Delta and Iceberg, by `configure_spark_with_zorder`, and Iceberg's catalogs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from catalogs import Catalogs, spark_jars
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
def spark(tmp_path_factory: pytest.TempPathFactory, catalogs: Catalogs) -> Iterator[SparkSession]:
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # Named by the user, so that none is asked of Maven Central.
    jars = {"spark.jars": ",".join([*delta_jars(), *spark_jars()])}
    builder = SparkSession.builder
    for key, value in (small(tmp_path_factory.mktemp("spark"), PATIENT_COMPILER) | jars | catalogs.settings()).items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder, delta=True, iceberg=True).getOrCreate()
    for name in ("files", "sql", "rest"):
        session.sql(f"CREATE NAMESPACE {name}.db")
    yield session
    session.stop()
