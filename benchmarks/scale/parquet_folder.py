# SPDX-License-Identifier: Apache-2.0

"""A folder of very many Parquet files with a statistics index that holds for them."""

from __future__ import annotations

import shutil
import uuid
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from scale.seed import cut, link, rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def build(spark: SparkSession, folder: Path, partitions: int) -> dict[str, int]:
    """Builds the table anew.

    The index is that of the first partition, with its rows repeated for the others: their files are the same.

    Returns:
        `files` in all, and `target`, the size in bytes that files were asked to have.
    """
    others = folder.with_name(f"{folder.name}.others")
    for old in (folder, others):
        shutil.rmtree(old, ignore_errors=True)
    first, table = folder / "part=0", f"parquet.`{folder}`"
    rows(spark).write.parquet(str(first))
    target = cut(spark, table, first)
    made = link(first, partitions, others)
    spark.sql(f"ANALYZE TABLE {table} COMPUTE FILE STATISTICS").collect()
    for partition in made:
        partition.rename(folder / partition.name)
    repeat(spark, folder, partitions)
    return {"files": len(list(first.glob("*.parquet"))) * partitions, "target": target}


def repeat(spark: SparkSession, folder: Path, partitions: int) -> None:
    """Writes the next version of the index, which says of every partition what the present one says of the first."""
    index = spark.read.parquet(str(version(folder)))
    metadata = index.schema["file"].metadata
    # The schemas of the files, in the order of the index.
    runs = {key: metadata[key] * partitions for key in ("schemaCounts", "schemaNumbers") if key in metadata}
    numbers = spark.range(0, partitions, 1, 1).withColumnRenamed("id", "number")
    names = F.concat(F.lit("part="), F.col("number"), F.lit("/"), F.substring_index("file", "/", -1))
    every = index.coalesce(1).crossJoin(F.broadcast(numbers)).withColumn("file", names).sortWithinPartitions("file")
    draft = folder.with_name(f"{folder.name}.index")
    shutil.rmtree(draft, ignore_errors=True)
    every.select(F.col("file").alias("file", metadata=metadata | runs), *index.columns[1:]).write.parquet(str(draft))
    (written,) = draft.glob("*.parquet")
    replace(folder, written)
    shutil.rmtree(draft)


def version(folder: Path) -> Path:
    """The file of the index."""
    (found,) = (folder / "_zorder" / "statistics").glob("v*.index")
    return found


def replace(folder: Path, index: Path) -> None:
    """Makes a file the next version of the index; readers know none of it."""
    before = version(folder)
    form, number, _ = before.name.split("-", 2)
    index.rename(before.with_name(f"{form}-{int(number) + 1:08d}-{uuid.uuid4()}.index"))
    before.unlink(missing_ok=True)
    before.with_name(f".{before.name}.crc").unlink(missing_ok=True)
