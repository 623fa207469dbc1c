# SPDX-License-Identifier: Apache-2.0

"""Every statement on tables of both formats in an object store: the rows, the layout, and what is left in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from statements import FORMATS, ROWS, expected_rows, name_of, statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from store import Store


@pytest.mark.parametrize("table_format", FORMATS)
def test_every_statement(spark: SparkSession, store: Store, table_format: str) -> None:
    folder = f"s3a://bucket/{table_format}-statements"
    answers = {purpose: spark.sql(text).collect() for purpose, text in statements(table_format, folder).items()}

    (row,) = answers["full"]
    assert row["metrics"]["numFilesAdded"] == 8
    assert [round(gain["point_read_share_after"], 2) for gain in row["layout"]] == [0.25, 0.5]
    (row,) = answers["explain"]
    assert row["files_read"] == row["files_total"] / 4
    (row,) = answers["query"]
    expected = [i for i, a, _, _ in expected_rows() if 100 <= a <= 120 and i < ROWS + 4000]
    assert (row["n"], row["ids"]) == (len(expected), sum(expected))
    name = name_of(table_format)
    assert store.rows_of(f"{table_format}-statements/{name}") == expected_rows()
    assert store.left_behind(f"{table_format}-statements/{name}") == []
