# SPDX-License-Identifier: Apache-2.0

"""One set of settings for all systems on Spark, and what Delta Lake needs on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def settings(work: Path, memory: str) -> dict[str, str]:
    """Spark's settings, the same for every system; all others are Spark's defaults.

    Timestamps are written as INT64: INT96, Spark's default, has no statistics in Parquet's footers and page indexes.
    """
    return {
        "spark.driver.memory": memory,
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": (work / "events").as_uri(),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.local.dir": str(work / "tmp"),
        "spark.log.level": "WARN",
        "spark.sql.parquet.compression.codec": "snappy",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def delta_settings(jars: list[str]) -> dict[str, str]:
    """What Delta Lake needs on top."""
    return {
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": DELTA_EXTENSION,
        "spark.sql.catalog.spark_catalog": DELTA_CATALOG,
    }
