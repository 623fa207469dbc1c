# SPDX-License-Identifier: Apache-2.0

"""Requests of statements and queries, as the store counts them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from statements import rows_from

if TYPE_CHECKING:
    from typing import Any

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


def asked_by_time(own: list[dict[str, Any]]) -> int:
    """Requests that a statement makes because it has lasted long, as on a busy machine.

    Each ten seconds it looks for its lock and writes the renewal, unless it has ended in between; this goes at the
    end. A second after it has seen the new files it looks once more before it deletes an old one: at the log, its entry
    and its verdict, which it asks for again later unless S3A still keeps it.
    """
    renewals = [r["method"] for r in own if r["path"].endswith(".renewed")]
    read = [r["path"] for r in own if r["method"] == "GET"]
    looks = sum(bool(re.search(r"/_zorder/log/\d+\.[^.]+\.json$", path)) for path in read) - 3
    verdicts = sum(path.endswith(".verdict") for path in read) - 1
    renewing = sum(r["method"] == "HEAD" and bool(re.search(r"/_zorder/locks/[^.]+$", r["path"])) for r in own) - 1
    return len(renewals) + renewing + 3 * looks + verdicts


def test_requests_of_optimize(spark: SparkSession, store: Store) -> None:
    folder = create(spark, "requests", "parquet")

    read, written, made = optimize(spark, store, folder, "parquet")

    assert read == FILES
    assert made.by_kind()["COPY"] == 0
    # To be 3 for each old file, and 60. Spark asks for a file before each of two readings. The looks at footers are up
    # to what S3A still keeps of a file: all of them on a busy machine, and then it looks for files more often, too.
    assert len(made) <= 6 * read + 4 * written + 160
    # All but what is asked of data files, and by Spark of the folder.
    own = [r for r in made if not re.search(r"/part-\d+", r["path"])]
    assert len(own) - asked_by_time(own) <= 60
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


def counted(text: str) -> dict[str, int]:
    """Requests by kind, as a sentence has them: `28 requests to the store (14 HEAD, 7 GET, 7 LIST)`."""
    within = re.search(r"requests? to the store \((.*?)\)", text).group(1)
    return {kind: int(number) for number, kind in (each.split() for each in within.split(", "))}


@pytest.mark.parametrize("table_format", ["parquet", "delta"])
def test_the_row_of_optimize_has_its_requests(spark: SparkSession, store: Store, table_format: str) -> None:
    folder = create(spark, f"counted-{table_format}", table_format)

    with store.requests() as made:
        row = spark.sql(f"OPTIMIZE {table_format}.`{folder}` ZORDER BY (a) OPTIONS (target_file_size = '1m')").head()

    found = counted(row["summary"])
    print(found, dict(made.by_kind()))
    # Not those by which the table is found, of a path by a look at each footer, and by which Delta writes checksums.
    assert 0.8 * (len(made) - made.by_kind()["GET"]) <= sum(found.values()) - found.get("GET", 0) <= len(made)
    if table_format == "parquet":
        assert [found.get(kind, 0) for kind in ("PUT", "DELETE")] == [
            made.by_kind()[kind] for kind in ("PUT", "DELETE")
        ]


def test_explain_skipping_tells_about_how_many_requests_a_run_makes(spark: SparkSession, store: Store) -> None:
    folder = create(spark, "explained", "parquet")
    optimize(spark, store, folder, "parquet")
    query = f"SELECT count(*) FROM parquet.`{folder}` WHERE a < 200"

    # Before EXPLAIN SKIPPING, which opens the files, too: S3A keeps some of what it has read.
    with store.requests() as made:
        spark.sql(query).collect()
    (row,) = spark.sql(f"EXPLAIN SKIPPING {query}").collect()

    about = int(re.search(r"about (\d+) requests to the store", row["note"]).group(1))
    print(row["files_read"], about, len(made), dict(made.by_kind()))
    opened = sum(count for kind, count in made.by_kind().items() if kind in ("HEAD", "GET"))
    assert 0.5 * about <= opened <= 2 * about
