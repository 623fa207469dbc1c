# SPDX-License-Identifier: Apache-2.0

"""Tables as folders: what is on disk, apart from what the log says."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from file_events import FileEvents

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# Every kind of row that is easily lost or doubled: NULLs, NaN, -0.0, duplicates, text beyond ASCII.
ROWS = """
SELECT id DIV 2 AS id, CAST(pmod(xxhash64(id), 1000) AS INT) AS a,
  CASE WHEN id % 11 = 0 THEN NULL WHEN id % 13 = 0 THEN double('NaN') WHEN id % 17 = 0 THEN -0.0D
    ELSE pmod(xxhash64(id, 1), 100000) / 100.0D END AS b,
  concat('é', pmod(xxhash64(id DIV 2, 2), 50)) AS c, CAST(pmod(id DIV 2, {partitions}) AS INT) AS p
FROM range({rows})
"""


def create(
    spark: SparkSession, folder: Path, rows: int, files: int, *, partitions: int = 1, vectors: bool = False
) -> Path:
    """A table of `files` files in each of its partitions; with `vectors` some of its rows are deleted by vectors."""
    properties = f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{str(vectors).lower()}')"
    spark.sql(
        f"CREATE TABLE delta.`{folder}` (id BIGINT, a INT, b DOUBLE, c STRING, p INT) USING delta "
        f"PARTITIONED BY (p) {properties}"
    )
    query = ROWS.format(rows=rows, partitions=partitions)
    spark.sql(f"INSERT INTO delta.`{folder}` SELECT /*+ REPARTITION({files}, a) */ * FROM ({query})").collect()
    if vectors:
        spark.sql(f"DELETE FROM delta.`{folder}` WHERE a < 20")
    return folder


def copy(table: Path, to: Path) -> Path:
    shutil.copytree(table, to)
    return to


def data_on_disk(table: Path) -> frozenset[Path]:
    """Every file that readers and VACUUM take for data."""
    return frozenset(
        file
        for file in table.rglob("*")
        if file.is_file() and "_delta_log" not in file.parts and not file.name.startswith((".", "_"))
    )


def is_complete(file: Path) -> bool:
    """Whether a Parquet file has its end."""
    return file.read_bytes().endswith(b"PAR1")


def versions(table: Path) -> int:
    """The number of commits."""
    return len(list((table / "_delta_log").glob("*[0-9].json")))


def unfinished_commits(table: Path) -> int:
    """Temporary files of commits that did not come to be."""
    return len(list((table / "_delta_log").glob(".*.json.*.tmp")))


def vacuum(spark: SparkSession, table: Path) -> None:
    """Removes every file that the latest version does not refer to."""
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    # VACUUM lists folders in as many tasks, 10,000 by default.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
    spark.sql(f"VACUUM delta.`{table}` RETAIN 0 HOURS").collect()


def watch(table: Path) -> FileEvents:
    """Events of the table's folder, of its partitions' and of its log."""
    partitions = [folder for folder in table.iterdir() if folder.is_dir() and "=" in folder.name]
    return FileEvents([table, table / "_delta_log", *partitions])
