# SPDX-License-Identifier: Apache-2.0

"""ADVISE LAYOUT end to end, on classic and Connect sessions: what it foresees is what the tables then read."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from points import bytes_per_file, create_points
from pyspark.errors import AnalysisException

from spark_zorder import ZOrderTable, explain_skipping

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

COLUMNS = [
    *("rank", "columns", "curve", "target_file_size", "files", "read_share", "read_share_now"),
    *("rewrite_bytes", "rewrite_seconds", "statement", "warnings"),
]


def share_read(spark: SparkSession, query: str) -> float:
    """The share of files that a query with one scan reads."""
    (row,) = explain_skipping(spark, query).collect()
    return float(row["files_read"] / row["files_total"])


@pytest.mark.classic
@pytest.mark.long
def test_the_advised_statement_does_what_is_foreseen(spark: SparkSession) -> None:
    name = create_points(spark, "advised")
    queries = [f"SELECT id FROM {name} WHERE x = 7", f"SELECT id FROM {name} WHERE y BETWEEN 3 AND 9 -- some"]
    size = {"target_file_size": bytes_per_file(spark, name)}

    rows = ZOrderTable.forName(spark, name).advise(queries=queries, options=size).collect()

    best = rows[0]
    assert list(best.asDict()) == COLUMNS
    assert sorted(best["columns"]) == ["x", "y"]
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert best["read_share_now"] == 1.0
    spark.sql(best["statement"]).collect()
    read = sum(share_read(spark, query) for query in queries) / 2
    assert read == pytest.approx(best["read_share"], abs=0.1)
    assert read < 0.5


@pytest.mark.daily
@pytest.mark.statement
def test_a_parquet_folder_by_lookups(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")
    spark.range(8000).selectExpr("id", "hash(id) AS h", "0 AS zero").repartition(8).write.parquet(path)

    table = ZOrderTable.forPath(spark, path)
    best = table.advise("h", "zero", options={"target_file_size": "10k"}).collect()[0]

    assert best["columns"] == ["h"]
    assert any("zero has the same value" in warning for warning in best["warnings"])
    assert best["statement"] == f"OPTIMIZE '{path}' ZORDER BY (h) OPTIONS (target_file_size = '10k')"
    # Of the one file that it would be by default nothing can be skipped: there is nothing to run.
    (none,) = table.advise("h").collect()
    assert none["statement"] is None
    assert any("fit in one file" in warning for warning in none["warnings"])


def test_parameters(spark: SparkSession) -> None:
    name = create_points(spark, "advised_here")
    statement = f"ADVISE LAYOUT {name} FOR (SELECT id FROM {name} WHERE x = :x), (TABLE {name})"

    assert spark.sql(statement, {"x": 5}).collect()[0]["columns"] == ["x"]


def test_queries_that_the_session_recorded(spark: SparkSession, tmp_path: Path) -> None:
    name = create_points(spark, "advised_by_records")
    spark.conf.set("spark.sql.zorder.advise.record", str(tmp_path))
    try:
        spark.sql(f"SELECT id FROM {name} WHERE x = 7").collect()
        # Spark tells its listeners of a query when it has ended.
        end = time.monotonic() + 60
        while not list(tmp_path.glob("*.queries.jsonl")) and time.monotonic() < end:
            time.sleep(0.2)
    finally:
        spark.conf.unset("spark.sql.zorder.advise.record")

    size = {"target_file_size": bytes_per_file(spark, name)}
    best = ZOrderTable.forName(spark, name).advise(recording=tmp_path, options=size).collect()[0]

    assert best["columns"] == ["x"]
    (file,) = tmp_path.glob("*.queries.jsonl")
    assert json.loads(file.read_text())["scans"][0][-1] == ["=", ["column", "x"], ["value", "INT"]]


def test_workloads_and_options_that_cannot_be_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    table = ZOrderTable.forName(spark, create_points(spark, "ill_advised"))

    def fails(condition: str, state: str, **arguments: object) -> None:
        with pytest.raises(AnalysisException) as caught:
            table.advise(**arguments).collect()  # type: ignore[arg-type]
        assert (caught.value.getCondition(), caught.value.getSqlState()) == (condition, state)

    fails("ZORDER_WORKLOAD_NOT_A_QUERY", "0A000", queries="DROP TABLE ill_advised")
    fails("ZORDER_QUERY_WITHOUT_TABLE", "22023", queries=["SELECT 1"])
    fails("ZORDER_RECORDING", "22023", recording=tmp_path / "none")
    fails("ZORDER_UNKNOWN_OPTION", "42616", options={"mode": "full"})
    fails("TABLE_OR_VIEW_NOT_FOUND", "42P01", queries="SELECT * FROM nowhere")
