# SPDX-License-Identifier: Apache-2.0

"""The rows to write: TPC-DS store_sales and a uniform table, as plain Parquet with a file for each task."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from common.places import DATA
from common.store_sales import store_sales

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

# The columns of Impala's table, and the values that it looks up.
STORE_SALES = {"ss_customer_sk": 49969, "ss_cdemo_sk": 961370}

# The columns of the uniform table, and by how many of them it is ordered.
UNIFORM = ("a", "b", "c", "d")
UNIFORM_COUNTS = (2, 4)


@dataclass(frozen=True)
class Source:
    """Rows on disk, with a file for each task that will write them.

    Attributes:
        view: the name of its rows in SQL.
        folder: of its files.
        columns: those that tables are ordered by.
        values: those looked up by name.
    """

    view: str
    folder: Path
    columns: tuple[str, ...]
    values: dict[str, int]


def store_sales_source(scale: float, tasks: int) -> Source:
    """TPC-DS store_sales of this scale, built or not."""
    folder = DATA / f"sorting-store_sales-scale-{scale:g}-{tasks}-files"
    return Source("store_sales_rows", folder, tuple(STORE_SALES), STORE_SALES)


def uniform_source(rows: int, tasks: int) -> Source:
    """The uniform table of this size, built or not."""
    return Source("uniform_rows", DATA / f"sorting-uniform-{rows}-rows-{tasks}-files", UNIFORM, {})


def open_store_sales(spark: SparkSession, source: Source, scale: float, tasks: int) -> DataFrame:
    """The rows of store_sales, built where they are not there yet."""
    if not _is_complete(source):
        _write(store_sales(spark, scale, tasks), source)
    return _opened(spark, source)


def open_uniform(spark: SparkSession, source: Source, rows: int, tasks: int) -> DataFrame:
    """Independent columns, each value a hash of the row's number, built where they are not there yet."""
    if not _is_complete(source):
        values = [f"cast(shiftrightunsigned(xxhash64(id, {i}), 33) AS int) AS {name}" for i, name in enumerate(UNIFORM)]
        _write(spark.range(0, rows, 1, tasks).selectExpr(*values, "id"), source)
    return _opened(spark, source)


def drawn(rows: DataFrame, columns: Sequence[str], count: int) -> dict[str, list[Any]]:
    """Values to look up for each column: those of as many rows, always the same, without NULL."""
    order = F.xxhash64(*rows.columns)
    return {
        column: [
            row[0] for row in rows.where(F.col(column).isNotNull()).orderBy(order, column).select(column).take(count)
        ]
        for column in columns
    }


def _is_complete(source: Source) -> bool:
    return (source.folder / "_SUCCESS").exists()


def _write(rows: DataFrame, source: Source) -> None:
    making = source.folder.with_name(source.folder.name + ".part")
    shutil.rmtree(making, ignore_errors=True)
    rows.write.parquet(str(making))
    shutil.rmtree(source.folder, ignore_errors=True)
    making.rename(source.folder)


def _opened(spark: SparkSession, source: Source) -> DataFrame:
    # Every file is read by one task: none is cut, and none shares its task with another.
    size = max(path.stat().st_size for path in source.folder.glob("*.parquet")) + 1
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(size))
    spark.conf.set("spark.sql.files.openCostInBytes", str(size))
    rows = spark.read.parquet(str(source.folder))
    rows.createOrReplaceTempView(source.view)
    return rows
