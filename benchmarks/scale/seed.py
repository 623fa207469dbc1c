# SPDX-License-Identifier: Apache-2.0

"""One partition of many small z-ordered files, of which a table of any number of files is made by links."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

FILES = 1000  # of a partition
COLUMNS = "a BIGINT, b TIMESTAMP, c STRING, d DOUBLE"
ZORDER = "ZORDER BY (a, b)"
_ROWS = 250  # of a file


def rows(spark: SparkSession) -> DataFrame:
    """Those of a partition, in random order."""
    return spark.range(0, FILES * _ROWS, 1, 1).selectExpr(
        "pmod(xxhash64(id, 1), 1000000) AS a",
        "timestamp_seconds(1767225600 + pmod(xxhash64(id, 2), 31536000)) AS b",
        "hex(xxhash64(id, 3)) AS c",
        "pmod(xxhash64(id, 4), 1000003) / 7.0D AS d",
    )


def cut(spark: SparkSession, table: str, folder: Path) -> int:
    """Z-orders the only partition of a table into about `FILES` files.

    Args:
        spark: with the extension.
        table: its name in statements.
        folder: of that partition.

    Returns:
        The size of a file that it was asked for, in bytes.
    """
    size = sum(file.stat().st_size for file in folder.glob("*.parquet")) // FILES
    spark.sql(f"OPTIMIZE {table} {ZORDER} OPTIONS (target_file_size = '{size}', force = true)").collect()
    return size


def link(first: Path, partitions: int, into: Path) -> list[Path]:
    """Folders `part=1` to `part=<partitions - 1>` with the files of `first` under the same names.

    Links change a file's state, by which the statistics index knows it: they are to be made before it is built.
    """
    names = sorted(file.name for file in first.glob("*.parquet"))
    made = []
    for number in range(1, partitions):
        folder = into / f"part={number}"
        folder.mkdir(parents=True)
        for name in names:
            os.link(first / name, folder / name)
        made.append(folder)
    return made
