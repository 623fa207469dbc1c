# SPDX-License-Identifier: Apache-2.0

"""The power goes after OPTIMIZE of a Parquet table: what it wrote is on the disk, or the old files are."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from small_disk import cut_power, small_disk

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def rows(folder: Path) -> Counter[tuple[int, int]]:
    """The rows of all data files, to readers without the extension."""
    tables = [pq.read_table(file) for file in folder.glob("*.parquet")]
    return Counter(row for table in tables for row in zip(*(table[name].to_pylist() for name in "ab"), strict=True))


# The journal is written every five seconds.
@pytest.mark.parametrize("seconds", [0.0, 6.0])
def test_no_row_is_lost_when_the_power_is_cut(spark: SparkSession, tmp_path: Path, seconds: float) -> None:
    with small_disk(tmp_path, 64) as disk:
        folder = disk / "t"
        spark.sql("SELECT id AS a, id * 37 % 1000 AS b FROM range(0, 20000, 1, 8)").write.parquet(str(folder))
        os.sync()
        before = rows(folder)

        spark.sql(f"OPTIMIZE parquet.`{folder}` ZORDER BY (a, b) OPTIONS (target_file_size = '20k')").collect()
        time.sleep(seconds)
        cut_power(disk)

        seen = spark.read.parquet(str(folder))
        assert Counter((row.a, row.b) for row in seen.collect()) == before
        # Of a process that the power took, too.
        for lock in folder.glob("_zorder/locks/*"):
            lock.unlink()
        spark.sql(f"ANALYZE TABLE parquet.`{folder}` COMPUTE FILE STATISTICS").collect()
        assert rows(folder) == before
