# SPDX-License-Identifier: Apache-2.0

"""Spark sessions for the demo: two cores, quiet, Delta from the jars that `make` put into .build/delta-jars."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_zorder import configure_spark_with_zorder

if TYPE_CHECKING:
    from collections.abc import Iterator

DELTA_JARS = Path(__file__).resolve().parents[1] / ".build" / "delta-jars"
DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"


class DemoError(Exception):
    """Something that the demo needs is missing."""


@contextmanager
def session(folder: Path, *, extension: bool = True) -> Iterator[SparkSession]:
    """A session that ends with the block.

    Args:
        folder: where Spark puts its log and warehouse.
        extension: False leaves spark-zorder's extension out, so that OPTIMIZE is Delta's own.
    """
    jars = _delta_jars()
    # The status API serves this machine only.
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("spark-zorder demo")
    for key, value in {
        "spark.jars": ",".join(jars),
        "spark.driver.memory": "2g",
        "spark.log.level": "WARN",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "8",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder.config(key, value)
    configure_spark_with_zorder(builder, delta=True)
    if not extension:
        builder.config("spark.sql.extensions", DELTA_EXTENSION)
    with _messages_to(folder / "spark.log"):
        spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def delta_version() -> str:
    """The version of Delta Lake's jars."""
    return next(Path(jar).stem.rsplit("-", 1)[1] for jar in _delta_jars() if "/delta-spark" in jar)


def _delta_jars() -> list[str]:
    jars = sorted(str(jar) for jar in DELTA_JARS.glob("*.jar"))
    if not jars:
        raise DemoError(f"no jars in {DELTA_JARS}; run it through `make demo`")
    return jars


@contextmanager
def _messages_to(log: Path) -> Iterator[None]:
    """Sends what a process started in the block writes to standard error, here Spark's JVM, to a file."""
    kept = os.dup(2)
    with log.open("a") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def bytes_per_file(spark: SparkSession, table: str, files: int) -> int:
    """The target file size at which a table of the present size makes about this many files."""
    detail = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]
    return -(-detail["sizeInBytes"] // files)
