# SPDX-License-Identifier: Apache-2.0

"""A folder of very many tiny Parquet files, made by linking a few: what is to be planned, not read."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PARTITIONS = 100
ROWS = 10


def many_files(spark: SparkSession, folder: Path, files: int) -> Path:
    """A table of about so many files, in `PARTITIONS` folders that hold the same.

    Each file of a folder holds a range of `a` and of `b` of its own; `c` and `d` are spread over all values.

    Args:
        spark: writes the files of one folder.
        folder: is written again.
        files: in all.

    Returns:
        The folder of the table.
    """
    shutil.rmtree(folder, ignore_errors=True)
    each = max(1, files // PARTITIONS)
    rows = spark.range(0, each * ROWS, 1, each).selectExpr(
        "id AS a",
        "timestamp_seconds(1767225600 + 60 * id) AS b",
        "hex(xxhash64(id)) AS c",
        "rand(7) AS d",
    )
    rows.write.parquet(str(folder / "seed"))
    seeds = sorted((folder / "seed").glob("*.parquet"))
    table = folder / "table"
    for number in range(PARTITIONS):
        partition = table / f"part={number}"
        partition.mkdir(parents=True)
        for seed in seeds:
            os.link(seed, partition / seed.name)
    return table
