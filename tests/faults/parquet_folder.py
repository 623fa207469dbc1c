# SPDX-License-Identifier: Apache-2.0

"""Plain Parquet tables as folders: what any reader finds there, and where a rewrite was when it ended."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import table_folder

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


FILES = 6  # of a partition before a rewrite


def create(spark: SparkSession, folder: Path, rows: int, files: int) -> Path:
    """A table of two partitions with `files` files in each."""
    query = table_folder.ROWS.format(rows=rows, partitions=2)
    spark.sql(f"SELECT /*+ REPARTITION({files}, a) */ * FROM ({query})").write.partitionBy("p").parquet(str(folder))
    return folder


def data_files(table: Path) -> list[Path]:
    """What readers that know nothing of `_zorder` take for data."""
    return [
        file
        for file in table.rglob("*.parquet")
        if not any(part.startswith(("_", ".")) for part in file.relative_to(table).parts)
    ]


def plain_rows(table: Path) -> Counter[Any]:
    """The multiset of rows as a reader without Spark finds it; NaN counts as equal to itself."""
    rows: Counter[Any] = Counter()
    for file in data_files(table):
        columns = pq.ParquetFile(file).read().to_pydict()
        rows.update((file.parent.name, *map(repr, row)) for row in zip(*columns.values(), strict=True))
    return rows


def digest(spark: SparkSession, table: Path) -> tuple[int, str]:
    """Number and digest of the rows, as a session with the extension reads them."""
    row = spark.sql(
        f"SELECT count(*), CAST(sum(CAST(xxhash64(id, a, b, c, p) AS DECIMAL(38))) AS STRING) FROM parquet.`{table}`"
    ).collect()[0]
    return row[0], row[1]


def phase(table: Path, originals: int) -> str:
    """Where a rewrite of the table was when its process ended, by what is on disk."""
    own = table / "_zorder"
    log = {file.suffix for file in (own / "log").glob("[!.]*")} if (own / "log").exists() else set()
    files = len(data_files(table))
    if ".closed" in log:
        return "after the commit"
    if ".verdict" in log:
        return f"deleting old files: {files} files there"
    if ".json" in log:
        return f"moving new files: {files - originals} there"
    staged = list((own / "staging").rglob("*.staged")) if own.exists() else []
    if staged:
        return f"writing: {len(staged)} files begun"
    return "holding the lock" if any(own.glob("locks/*")) else "planning"


def is_settled(table: Path) -> bool:
    """Whether nothing of a rewrite is left to do, or lies about."""
    own = table / "_zorder"
    entries = {file.name.split(".")[0] for file in own.glob("log/*.json")}
    closed = {file.name.split(".")[0] for file in own.glob("log/*.closed")}
    return not (own / "staging").exists() and not any(own.glob("locks/[!.]*")) and entries == closed
