# SPDX-License-Identifier: Apache-2.0

"""Every file in sql-examples/ runs, statement by statement; the comments of two are true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

EXAMPLES = Path(__file__).resolve().parents[2] / "sql-examples"


def statements(file: str) -> list[str]:
    """The statements without comments; none of the examples has a semicolon inside a string."""
    text = re.sub(r"^--.*$", "", (EXAMPLES / file).read_text(), flags=re.MULTILINE)
    return [statement.strip() for statement in text.split(";") if statement.strip()]


@pytest.mark.parametrize("file", sorted(path.name for path in EXAMPLES.glob("*.sql")))
def test_runs(spark: SparkSession, file: str) -> None:
    found = statements(file)

    for statement in found:
        spark.sql(statement).collect()

    assert len(found) > 3


def test_an_order_on_write_is_worth_what_its_example_says(spark: SparkSession) -> None:
    results = [(s, spark.sql(s).collect()) for s in statements("04_order_on_write.sql")]

    (user,), (place,), (later,) = (rows for statement, rows in results if statement.startswith("EXPLAIN SKIPPING"))
    assert user["pages_read"] < 0.25 * user["pages_total"]
    assert place["pages_read"] < 0.35 * place["pages_total"]
    assert later["files_total"] > 10
    assert later["files_read"] < 0.6 * later["files_total"]
    assert "OrderedRows SORT BY ZORDER (user, place)" in results[2][1][0][0]


def test_quickstart_says_the_truth(spark: SparkSession) -> None:
    results: list[tuple[str, list[Row]]] = []
    for statement in statements("01_quickstart.sql"):
        results.append((statement, spark.sql(statement).collect()))

    def of(prefix: str) -> list[list[Row]]:
        return [rows for statement, rows in results if statement.startswith(prefix)]

    before, after = of("DESCRIBE LAYOUT zorder")
    assert [(row["files"], row["point_read_share"]) for row in before] == [(16, 1.0), (16, 1.0)]
    assert all(row["point_read_share"] < 0.35 for row in after)
    ((optimized,),) = of("OPTIMIZE")
    assert {(row["verdict"], row["reason"]) for row in before} == {("poor", "each file has nearly all values")}
    assert all(row["verdict"] == "good" and row["reason"].startswith("lookups read") for row in after)
    (exact,) = of("SELECT column, files")
    assert [row["column"] for row in exact] == ["user", "place"]
    assert optimized["metrics"]["numFilesAdded"] == after[0]["files"] == len(of("DESCRIBE LAYOUT EXTENDED")[0])
    assert of("DESCRIBE HISTORY")[0][0]["operation"] == "OPTIMIZE"
    (quarters,) = of("SELECT range_partition_id")
    assert [row["quarter"] for row in quarters] == [0, 1, 2, 3]
    assert all(24_000 < row["count(1)"] < 26_000 for row in quarters)
