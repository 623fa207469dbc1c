# SPDX-License-Identifier: Apache-2.0

"""The same rows as four Delta tables: as they arrived, by Delta's two ways of clustering, and by this extension."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from common.events import events
from common.statements import optimize
from queries.kinds import COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ARRIVED, DELTA, LIQUID, OURS = "load order", "Delta's z-order", "Delta's liquid", "spark-zorder"
# Ours, as Spark and Delta alone read it.
LAYOUT_ALONE = "its layout alone"


def build(spark: SparkSession, work: Path, rows: int, files: int) -> dict[str, str]:
    """Writes the tables, all with files of one size as far as each system obeys; returns their names in SQL."""
    shutil.rmtree(work, ignore_errors=True)
    names = {
        system: f"delta.`{work / folder}`"
        for system, folder in ((ARRIVED, "arrived"), (DELTA, "delta"), (LIQUID, "liquid"), (OURS, "ours"))
    }
    made = events(spark, rows, spark.sparkContext.defaultParallelism).repartitionByRange(files, "event_time")
    made.sortWithinPartitions("event_time").write.format("delta").save(str(work / "arrived"))
    size = sum(path.stat().st_size for path in (work / "arrived").glob("*.parquet")) // files
    columns = ", ".join(COLUMNS)
    for system in (DELTA, LIQUID, OURS):
        folder = names[system]
        clause = f" CLUSTER BY ({columns})" if system == LIQUID else ""
        spark.sql(f"CREATE TABLE {folder} USING delta{clause} AS SELECT * FROM {names[ARRIVED]}")
        what = "FULL" if system == LIQUID else f"ZORDER BY ({columns})"
        optimize(spark, folder, what, size, ours=system == OURS)
    return names
