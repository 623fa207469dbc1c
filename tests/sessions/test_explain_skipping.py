# SPDX-License-Identifier: Apache-2.0

"""EXPLAIN SKIPPING end to end, on classic and Connect sessions, beside what the files themselves say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from points import FILES, ROWS, bytes_per_file, create_points
from pyspark.errors import AnalysisException, ParseException

from spark_zorder import explain_skipping

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Row, SparkSession

COLUMNS = [
    "table",
    *("files_total", "files_read", "row_groups_total", "row_groups_read"),
    *("pages_total", "pages_read", "bytes_total", "bytes_read", "rows_total", "note"),
]


def explained(spark: SparkSession, query: str) -> Row:
    """The one row of a query with one scan."""
    (row,) = spark.sql(f"EXPLAIN SKIPPING {query}").collect()
    return row


def files_holding(spark: SparkSession, name: str, predicate: str) -> tuple[int, int]:
    """How many files there are, and how many have rows that satisfy a predicate."""
    path = "_metadata.file_path"
    query = f"SELECT count(DISTINCT {path}), count(DISTINCT IF({predicate}, {path}, NULL)) FROM {name}"
    return tuple(spark.sql(query).collect()[0])


@pytest.mark.daily
@pytest.mark.statement
def test_before_and_after_optimize(spark: SparkSession) -> None:
    name = create_points(spark, "explained")
    query = f"SELECT id FROM {name} WHERE x = 7"

    before = explained(spark, query)
    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{bytes_per_file(spark, name)}')")
    after = explained(spark, query)

    assert before.asDict().keys() == dict.fromkeys(COLUMNS).keys()
    assert (before["table"], before["files_total"], before["files_read"]) == (name, FILES, FILES)
    assert before["rows_total"] == after["rows_total"] == ROWS
    assert (after["files_total"], after["files_read"]) == files_holding(spark, name, "x = 7")
    assert after["files_read"] * 2 <= after["files_total"]
    assert 0 < after["bytes_read"] * 2 <= after["bytes_total"]
    # Small files have one row group, and in it one page of each of the two columns.
    assert after["row_groups_read"] == after["files_read"]
    assert after["pages_read"] == 2 * after["files_read"]


@pytest.mark.statement
def test_pages_of_a_parquet_table(spark: SparkSession, tmp_path: Path) -> None:
    small = {"parquet.page.row.count.limit": "100", "parquet.block.row.count.limit": "500"}
    path = str(tmp_path / "numbers")
    spark.range(2000).coalesce(1).write.options(**small).parquet(path)

    row = explained(spark, f"SELECT id FROM parquet.`{path}` WHERE id BETWEEN 450 AND 620")

    assert row["table"].startswith("parquet.`/")
    # The parquet-java of Spark 4.0 does not know the number of rows at which a row group ends.
    groups = [1, 1] if spark.version.startswith("4.0.") else [4, 2]
    assert [row[name] for name in COLUMNS[1:7]] == [1, 1, *groups, 20, 3]
    assert row["rows_total"] == 2000
    assert explained(spark, f"SELECT id FROM parquet.`{path}` WHERE id < 0")["row_groups_read"] == 0


def test_python_and_parameters(spark: SparkSession) -> None:
    name = create_points(spark, "explained_here")
    expected = explained(spark, f"SELECT id FROM {name} WHERE x = 7 AND name = 'é7'")

    by_name = explain_skipping(spark, f"SELECT id FROM {name} WHERE x = :x AND name = :n", {"x": 7, "n": "é7"})
    in_order = explain_skipping(spark, f"SELECT id FROM {name} WHERE x = ? AND name = ?", [7, "é7"])

    assert by_name.columns == COLUMNS
    assert by_name.collect() == in_order.collect() == [expected]


def test_one_row_per_scan(spark: SparkSession) -> None:
    name = create_points(spark, "explained_twice")
    query = f"SELECT a.id FROM {name} a JOIN {name} b ON a.x = b.y WHERE a.x = 1 AND b.name IS NULL"

    assert spark.sql(f"EXPLAIN SKIPPING {query}").count() == 2
    assert spark.sql("EXPLAIN SKIPPING SELECT * FROM range(3)").collect() == []


def test_a_table_of_another_format(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")
    spark.range(20).write.csv(path)

    row = explained(spark, f"SELECT * FROM csv.`{path}`")

    assert row["table"] == f"csv.`{path}`"
    assert [row[name] for name in COLUMNS[1:-1]] == [None] * 9
    assert row["note"].startswith("cannot tell how much is read: the scan is of csv")


@pytest.mark.statement
def test_in_a_query(spark: SparkSession) -> None:
    name = create_points(spark, "explained_in_a_query")

    found = spark.sql(
        "SELECT e.table, d.column, e.files_read <= d.files AS less FROM explain_skipping(query => :query) e "
        "CROSS JOIN describe_layout(table => :name, columns => array('x')) d",
        {"query": f"SELECT id FROM {name} WHERE x = 7", "name": name},
    )

    assert [tuple(row) for row in found.collect()] == [(name, "x", True)]


@pytest.mark.statement
def test_what_is_no_query_or_not_there_is_refused(spark: SparkSession) -> None:
    name = create_points(spark, "explained_badly")
    with pytest.raises(AnalysisException) as no_query:
        spark.sql(f"EXPLAIN SKIPPING INSERT INTO {name} SELECT * FROM {name}").collect()
    with pytest.raises(AnalysisException) as no_column:
        spark.sql(f"EXPLAIN SKIPPING SELECT nothing FROM {name}").collect()
    with pytest.raises(ParseException) as nothing:
        spark.sql("EXPLAIN SKIPPING").collect()

    with pytest.raises(AnalysisException) as no_argument:
        spark.sql(f"SELECT * FROM describe_layout(tabel => '{name}')").collect()

    assert no_argument.value.getCondition() == "ZORDER_FUNCTION_ARGUMENT.UNKNOWN"
    assert "table, columns, where, all_rows" in str(no_argument.value)
    assert (no_query.value.getCondition(), no_query.value.getSqlState()) == ("ZORDER_NOT_A_QUERY", "0A000")
    assert "INSERT" in str(no_query.value)
    assert no_column.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert nothing.value.getSqlState() == "42601"
    assert spark.table(name).count() == ROWS
