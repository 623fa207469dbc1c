"""What all systems on Spark share: one set of settings, a session, the copy of a Delta table."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

import delta_log

if TYPE_CHECKING:
    from spec import Spec

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


def builder(spec: Spec, more: dict[str, str]) -> SparkSession.Builder:
    """A builder of a session on all cores with the settings and more of them."""
    work = Path(spec.work)
    (work / "events").mkdir(parents=True, exist_ok=True)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    made = SparkSession.builder.master("local[*]").appName(f"benchmark {spec.system}")
    for key, value in (settings(work, spec.memory) | more).items():
        made.config(key, value)
    return made


def copy_delta(source: Path, target: Path) -> str:
    """Copies a Delta table; returns its name in SQL."""
    shutil.copytree(source, target)
    return f"delta.`{target}`"


class SparkRunner:
    """A session, and what does not depend on the statement."""

    calibrates = False

    def __init__(self, spark: SparkSession, spec: Spec) -> None:
        """Takes a session, which `close` ends."""
        self.spark = spark
        self.spec = spec

    def versions(self) -> dict[str, str]:
        """Spark's version and that of the Java it runs on."""
        java = self.spark.sparkContext._jvm.System.getProperty("java.version")  # type: ignore[union-attr]
        return {"spark": pyspark.__version__, "java": java}

    def live_files(self, target: Path) -> list[Path]:
        """The live files of a Delta table."""
        return delta_log.live_files(target)

    def collect_garbage(self) -> None:
        """Has the JVM free its heap, so that the peak is the statement's."""
        self.spark.sparkContext._jvm.System.gc()  # type: ignore[union-attr]

    def close(self) -> None:
        """Ends the session, which completes the event log."""
        self.spark.stop()
