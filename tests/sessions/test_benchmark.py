# SPDX-License-Identifier: Apache-2.0

"""`ZOrderTable.benchmark` on classic and Connect sessions: it counts what EXPLAIN SKIPPING counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from points import FILES, bytes_per_file, create_points
from pyspark.errors import PySparkException

from spark_zorder import Benchmark, ZOrderTable, explain_skipping

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.daily
@pytest.mark.statement
def test_a_benchmark_before_and_after(spark: SparkSession, tmp_path: Path) -> None:
    name = create_points(spark, "measured")
    table = ZOrderTable.forName(spark, name)
    queries = {"x": f"SELECT id FROM {name} WHERE x = 7", "all": f"SELECT count(id) FROM {name}"}

    before = table.benchmark(queries, runs=1)
    size = bytes_per_file(spark, name)
    table.optimize({"target_file_size": str(size)}).executeZOrderBy("x", "y")
    after = table.benchmark(before.texts, runs=3)

    x, everything = after.queries
    (scan,) = explain_skipping(spark, queries["x"]).collect()
    assert (x.files_read, x.files_total) == (scan["files_read"], scan["files_total"])
    assert (x.bytes_read, x.bytes_total) == (scan["bytes_read"], scan["bytes_total"])
    assert everything.files_read == everything.files_total
    assert [len(query.runs) for query in after.queries] == [3, 3]
    assert all(query.seconds in query.runs for query in after.queries)
    kept = Benchmark.load(before.save(tmp_path / "before.json"))
    rows = after.compared_with(kept).rows()
    assert [(row["name"], row["files_before"]) for row in rows] == [("x", FILES), ("all", FILES)]
    assert rows[0]["files_after"] * 2 <= FILES
    assert rows[0]["bytes_ratio"] > 1


@pytest.mark.statement
@pytest.mark.daily
def test_nothing_runs_where_a_text_is_no_query(spark: SparkSession) -> None:
    name = create_points(spark, "unmeasured")
    rows = spark.table(name).count()
    with pytest.raises(PySparkException) as error:
        ZOrderTable.forName(spark, name).benchmark([f"SELECT id FROM {name}", f"DELETE FROM {name}"])
    assert error.value.getCondition() == "ZORDER_NOT_A_QUERY"
    assert spark.table(name).count() == rows
