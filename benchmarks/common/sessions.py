# SPDX-License-Identifier: Apache-2.0

"""Sessions of measured processes in which the same SQL runs on several systems."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from common.places import DELTA_JARS, bench_jars, jars
from common.spark_settings import delta_settings, settings

if TYPE_CHECKING:
    from pathlib import Path

CATALOG = "local"


def zorder_session(work: Path, memory: str) -> SparkSession:
    """Spark with Delta and the extension."""
    from spark_zorder import configure_spark_with_zorder

    made = _builder(work, memory, delta_settings(jars(DELTA_JARS)))
    return configure_spark_with_zorder(made, delta=True).getOrCreate()


def delta_session(work: Path, memory: str) -> SparkSession:
    """Spark with Delta, without the extension."""
    return _builder(work, memory, delta_settings(jars(DELTA_JARS))).getOrCreate()


def iceberg_session(work: Path, memory: str) -> SparkSession:
    """The Spark that Iceberg supports, with a catalog in the folder."""
    more = {
        "spark.jars": ",".join(bench_jars("iceberg")),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{CATALOG}.type": "hadoop",
        f"spark.sql.catalog.{CATALOG}.warehouse": str(work / "iceberg"),
    }
    return _builder(work, memory, more).getOrCreate()


def _builder(work: Path, memory: str, more: dict[str, str]) -> SparkSession.Builder:
    work.mkdir(parents=True, exist_ok=True)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    made = SparkSession.builder.master("local[*]").appName("benchmark")
    ours = {
        "spark.eventLog.enabled": "false",
        # Hadoop does not count what is read by several ranges at once.
        "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
    }
    for key, value in (settings(work, memory) | ours | more).items():
        made.config(key, value)
    return made
