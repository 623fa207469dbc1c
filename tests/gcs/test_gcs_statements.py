# SPDX-License-Identifier: Apache-2.0

"""Every statement on tables of both formats in Google Cloud Storage, and the requests of OPTIMIZE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from statements import FORMATS, name_of, rows_from, statements
from store_tables import check_answers

if TYPE_CHECKING:
    from gcs_store import GcsStore
    from pyspark.sql import SparkSession

FILES = 100


@pytest.mark.parametrize("table_format", FORMATS)
def test_every_statement(spark: SparkSession, store: GcsStore, table_format: str) -> None:
    folder = f"gs://bucket/{table_format}-statements"
    answers = {}
    for purpose, text in statements(table_format, folder).items():
        answers[purpose] = spark.sql(text).collect()
        if purpose == "incremental" and table_format == "parquet":
            (kept,) = spark.sql(f"DESCRIBE REWRITES {name_of(table_format)}").where("restorable").collect()
            assert kept["rewrite"] == 3

    assert [round(row["point_read_share"], 2) for row in answers["layout"]] == [0.25, 0.5]
    check_answers(store, f"{table_format}-statements", table_format, answers)


def test_requests_of_optimize(spark: SparkSession, store: GcsStore) -> None:
    folder = "gs://bucket/requests"
    spark.sql(rows_from(0, 200_000, FILES)).write.parquet(folder)

    with store.requests() as made:
        row = spark.sql(f"OPTIMIZE parquet.`{folder}` ZORDER BY (a, b) OPTIONS (target_file_size = '64k')").head()
    with store.requests() as asked:
        found = spark.read.parquet(folder).where("a = 5").count()

    read, written = row["metrics"]["numFilesRemoved"], row["metrics"]["numFilesAdded"]
    print(read, written, len(made), dict(made.by_kind()), len(asked), dict(asked.by_kind()))
    assert (read, found) == (FILES, 200)
    # No byte is copied, and no second object is made for a moment.
    assert [made.by_kind()[kind] for kind in ("COPY", "COMPOSE")] == [0, 0]
    assert [r["object"] for r in made if "_GHFS_SYNC_TMP_FILE_" in r["object"]] == []
