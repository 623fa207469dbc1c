# SPDX-License-Identifier: Apache-2.0

"""An object store, and sessions whose `gs://` it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from gcs_store import GcsStore, gcs_jars
from pyspark.sql import SparkSession

from launching import INTERPRETED, PATIENT_COMPILER, delta_jars, small
from spark_zorder import configure_spark_with_zorder

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GcsStore]:
    running = GcsStore(tmp_path_factory.mktemp("store"))
    yield running
    running.end()


@pytest.fixture(scope="session")
def session_settings(store: GcsStore) -> dict[str, str]:
    return store.conf()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, session_settings: dict[str, str]) -> Iterator[SparkSession]:
    folder = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    jars = [*delta_jars(), *gcs_jars()]
    conf = small(folder, PATIENT_COMPILER) | INTERPRETED | session_settings
    # The connector is what Hadoop's configuration loads by name: it has to be on the class path itself.
    conf |= {"spark.jars": ",".join(jars), "spark.driver.extraClassPath": os.pathsep.join(jars)}
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder, delta=True).getOrCreate()
    yield session
    session.stop()
