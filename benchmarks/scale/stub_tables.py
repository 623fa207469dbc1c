# SPDX-License-Identifier: Apache-2.0

"""Tables of very many files: a thousand are written and z-ordered, in the other partitions they are linked or named."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

PARTITION_ROWS, FILE_ROWS = 20_000, 20
ORDER = "ZORDER BY (a, b) OPTIONS (target_file_size = '2k')"
COLUMNS = ("a", "b", "c", "d")


def _seed(spark: SparkSession, table_format: str, folder: Path) -> None:
    """A z-ordered table of one partition and about a thousand files of some rows each."""
    rows = spark.range(0, PARTITION_ROWS, 1, 8).selectExpr(
        "CAST(id * 7919 % 10007 AS INT) AS a",
        "timestamp_seconds(1767225600 + id * 104729 % 1000003) AS b",
        "hex(xxhash64(id)) AS c",
        "rand(7) AS d",
        "0 AS part",
    )
    rows.write.format(table_format).partitionBy("part").option("maxRecordsPerFile", FILE_ROWS).save(str(folder))
    spark.sql(f"OPTIMIZE {table_format}.`{folder}` {ORDER}").collect()


def parquet_table(spark: SparkSession, folder: Path, files: int) -> Path:
    """A folder of Parquet files whose statistics index knows all as z-ordered; each file is real, by a link.

    ANALYZE reads the footers of one partition; the index of the others is made of the same rows.

    Args:
        spark: with the extension.
        folder: is written again.
        files: in all, about.
    """
    shutil.rmtree(folder, ignore_errors=True)
    table, later = folder / "table", folder / "later"
    _seed(spark, "parquet", table)
    statistics = table / "_zorder" / "statistics"
    before = spark.read.parquet(str(_version(statistics))).select("file", "clustering")
    clustered = spark.createDataFrame(before.collect(), before.schema)
    seeds = sorted((table / "part=0").glob("*.parquet"))
    partitions = max(1, files // len(seeds))
    for number in range(1, partitions):
        (later / f"part={number}").mkdir(parents=True)
        for seed in seeds:
            os.link(seed, later / f"part={number}" / seed.name)
    # Links are changes of the files, by which the index tells that it knows them; to rename a folder is none.
    spark.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS FOR COLUMNS {', '.join(COLUMNS)}").collect()
    for partition in later.iterdir():
        partition.rename(table / partition.name)
    rows = spark.read.parquet(str(_version(statistics)))
    # A file that has changed is no longer known as clustered.
    note = rows.schema["file"].metadata
    known = rows.drop("clustering").join(clustered, "file").select(*rows.columns)
    _repeat(spark, known, note, statistics, partitions)
    return table


def _version(statistics: Path) -> Path:
    (last,) = statistics.glob("v*.parquet")
    return last


def _repeat(spark: SparkSession, rows: DataFrame, note: dict[str, Any], statistics: Path, partitions: int) -> None:
    """Writes the next version of an index of one partition, of which it repeats the rows for all."""
    last = _version(statistics)
    path = F.expr("replace(file, 'part=0/', concat('part=', number, '/'))").alias("file", metadata=note)
    numbers = spark.range(0, partitions, 1, 1).withColumnRenamed("id", "number")
    repeated = numbers.crossJoin(F.broadcast(rows)).select(path, *rows.columns[1:]).coalesce(1)
    draft = statistics.parent.parent.parent / "index"
    repeated.write.parquet(str(draft))
    (written,) = draft.glob("*.parquet")
    name, number, *unique = last.name.split("-")
    written.rename(statistics / "-".join((name, f"{int(number) + 1:08}", *unique)))
    last.unlink()


def delta_table(spark: SparkSession, folder: Path, files: int) -> Path:
    """A Delta table whose log names so many files, of which those of one partition are there.

    Args:
        spark: with Delta and the extension.
        folder: is written again.
        files: in all, about.
    """
    shutil.rmtree(folder, ignore_errors=True)
    table = folder / "table"
    _seed(spark, "delta", table)
    log = table / "_delta_log"
    adds = _adds(log)
    version = max(int(file.stem) for file in log.glob("*.json"))
    with (log / f"{version + 1:020}.json").open("w") as commit:
        info = {"timestamp": 1767225600000, "operation": "WRITE", "operationParameters": {}, "isBlindAppend": True}
        commit.write(json.dumps({"commitInfo": info}) + "\n")
        for number in range(1, max(1, files // len(adds))):
            own = {"partitionValues": {"part": str(number)}, "dataChange": True}
            for add in adds:
                path = add["path"].replace("part=0/", f"part={number}/")
                commit.write(json.dumps({"add": add | own | {"path": path}}) + "\n")
    return table


def _adds(log: Path) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(log.glob("*.json")):
        for action in map(json.loads, file.read_text().splitlines()):
            if "add" in action:
                found[action["add"]["path"]] = action["add"]
            if "remove" in action:
                found.pop(action["remove"]["path"], None)
    return list(found.values())
