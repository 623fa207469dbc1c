# SPDX-License-Identifier: Apache-2.0

"""The grid of 8 x 8 cells in 16 files of 4 rows: what a linear order reads, and what the z-order reads."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from scans import run_reading_metrics

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FILES = 16
CELLS = "SELECT CAST(id DIV 8 AS INT) AS x, CAST(id % 8 AS INT) AS y FROM range(64)"
PREDICATE = "x = 2 OR y = 3"
MATCHING = 8 + 8 - 1


def read(spark: SparkSession, path: Path, state: str) -> tuple[int, int]:
    """Files that the scan reads for the query, and rows in them that do not match."""
    query = f"SELECT x, y FROM parquet.`{path}` WHERE {PREDICATE}"
    rows, metrics = run_reading_metrics(spark, query, f"grid, {state}")
    assert len(rows) == MATCHING
    return metrics["number of files read"], metrics["number of output rows"] - MATCHING


def cells_of_files(spark: SparkSession, path: Path) -> Counter[int]:
    """How many files have how many rows."""
    query = f"SELECT count(*) AS n FROM parquet.`{path}` GROUP BY _metadata.file_path"
    return Counter(row["n"] for row in spark.sql(query).collect())


def overlaps_and_depths(spark: SparkSession, path: Path) -> dict[str, tuple[float, float]]:
    """The average overlaps and the average depth by each column."""
    query = f"SELECT column, average_overlaps, average_depth FROM describe_layout('{path}', array('x', 'y'))"
    return {row["column"]: (row["average_overlaps"], row["average_depth"]) for row in spark.sql(query).collect()}


def test_files_and_rows_read(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "grid"
    # One task for each file, in this order.
    spark.sql(CELLS).repartitionByRange(FILES, "x", "y").sortWithinPartitions("x", "y").write.parquet(str(path))
    spark.sql(f"ANALYZE TABLE parquet.`{path}` COMPUTE FILE STATISTICS")
    assert cells_of_files(spark, path) == {4: FILES}
    assert read(spark, path, "linear") == (9, 21)
    # A file holds one value of x and half of those of y: it shares x with one other, and y with all but every second.
    assert overlaps_and_depths(spark, path) == {"x": (1, 2), "y": (7, 8)}

    size = sum(file.stat().st_size for file in path.glob("*.parquet")) // FILES
    (result,) = spark.sql(f"OPTIMIZE parquet.`{path}` ZORDER BY (x, y) OPTIONS (target_file_size = '{size}')").collect()

    assert result["metrics"]["numFilesRemoved"] == result["metrics"]["numFilesAdded"] == FILES
    assert cells_of_files(spark, path) == {4: FILES}
    assert read(spark, path, "z-ordered") == (7, 13)
    assert overlaps_and_depths(spark, path) == {"x": (3, 4), "y": (3, 4)}
    # Of 16 files a value of either column is in 4.
    assert [gain["point_read_share_after"] for gain in result["layout"]] == pytest.approx([0.25, 0.25])
