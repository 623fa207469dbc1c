# SPDX-License-Identifier: Apache-2.0

"""Requests of statements and queries, as the store counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statements import rows_from

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from store import Requests, Store

FILES, ROWS = 100, 200_000


def create(spark: SparkSession, name: str, table_format: str) -> str:
    folder = f"s3a://bucket/{name}"
    spark.sql(rows_from(0, ROWS, FILES)).write.format(table_format).save(folder)
    return folder


def optimize(spark: SparkSession, store: Store, folder: str, table_format: str) -> tuple[int, int, Requests]:
    """Files read, files written, requests."""
    with store.requests() as made:
        row = spark.sql(
            f"OPTIMIZE {table_format}.`{folder}` ZORDER BY (a, b) OPTIONS (target_file_size = '64k')"
        ).head()
    print(row["metrics"]["numFilesRemoved"], row["metrics"]["numFilesAdded"], len(made), dict(made.by_kind()))
    return row["metrics"]["numFilesRemoved"], row["metrics"]["numFilesAdded"], made


def test_requests_of_optimize(spark: SparkSession, store: Store) -> None:
    folder = create(spark, "requests", "parquet")

    read, written, made = optimize(spark, store, folder, "parquet")

    assert read == FILES
    assert made.by_kind()["COPY"] == 0
    # To be 3 for each old file, and 60. Spark asks for a file before each of two readings. The looks at footers are up
    # to what S3A still keeps of a file: all of them on a busy machine.
    assert len(made) <= 6 * read + 4 * written + 160
    # Old files go many with a call.
    assert made.by_kind()["DELETE"] < 10


def test_a_query_with_the_index_lists_no_folder_twice(spark: SparkSession, store: Store) -> None:
    folder = create(spark, "listed", "parquet")
    optimize(spark, store, folder, "parquet")

    with store.requests() as made:
        found = spark.read.parquet(folder).where("a = 5").count()

    assert found == ROWS // 1000
    print(len(made), dict(made.by_kind()), dict(made.listed()))
    assert max(made.listed().values()) == 1
