# SPDX-License-Identifier: Apache-2.0

"""The same rows as plain Parquet in arrival order, z-ordered, and as a z-ordered Delta table."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.events import events
from common.places import DATA
from skipping.queries import COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Tables:
    """Where the tables lie."""

    folder: Path

    @property
    def arrived(self) -> Path:
        """Plain Parquet as it was written."""
        return self.folder / "arrived"

    @property
    def ordered(self) -> Path:
        """Plain Parquet, z-ordered, with an index."""
        return self.folder / "ordered"

    @property
    def delta(self) -> Path:
        """Delta, z-ordered in the same way."""
        return self.folder / "delta"

    @property
    def complete(self) -> Path:
        """Written last."""
        return self.folder / "complete.json"


def tables(rows: int, files: int) -> Tables:
    """The tables of this size, built or not."""
    return Tables(DATA / f"skipping-{rows}-rows-{files}-files")


def build(spark: SparkSession, target: Tables, rows: int, files: int) -> None:
    """Writes the rows once, and rewrites two copies; nothing where that is done already."""
    if target.complete.exists():
        return
    shutil.rmtree(target.folder, ignore_errors=True)
    events(spark, rows, files).write.parquet(str(target.arrived))
    arrived = list(target.arrived.glob("*.parquet"))
    size = sum(path.stat().st_size for path in arrived) // files
    for copy in (target.ordered, target.delta):
        copy.mkdir()
        for path in arrived:
            shutil.copy2(path, copy / path.name)
    spark.sql(f"CONVERT TO DELTA parquet.`{target.delta}` NO STATISTICS")
    for name in (f"parquet.`{target.ordered}`", f"delta.`{target.delta}`"):
        spark.sql(f"OPTIMIZE {name} ZORDER BY ({', '.join(COLUMNS)}) OPTIONS (target_file_size = '{size}')").collect()
    target.complete.write_text(json.dumps({"files": len(arrived), "target_file_size": size}))


def drawn(spark: SparkSession, target: Tables, count: int) -> list[tuple[int, str]]:
    """User and time of some rows, always the same."""
    rows = spark.read.parquet(str(target.arrived)).selectExpr(
        "user_id", "cast(event_time AS string) AS time", "session"
    )
    found = rows.orderBy("session").limit(count).collect()
    return [(row["user_id"], row["time"]) for row in found]
