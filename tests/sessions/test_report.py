# SPDX-License-Identifier: Apache-2.0

"""Snapshots, figures, reports, cards and results of real tables, as notebooks show them, classic and Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from IPython.core.formatters import HTMLFormatter
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql.functions import input_file_name

from spark_zorder import ZOrderTable, ZOrderValueError, explain_skipping, plot, report
from spark_zorder._report._example import example_of
from spark_zorder._result import readable
from spark_zorder.plot._states import compared

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ROWS = """SELECT CAST((id * 7919) % 1000 AS INT) AS x, ((id * 104729) % 1000) / CAST(7 AS DOUBLE) AS y,
    DATE'2013-01-01' + CAST(id % 365 AS INT) AS day, CAST(id % 10 AS STRING) AS digit FROM range(20000)"""


@pytest.fixture(params=["delta", "parquet"])
def table(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> ZOrderTable:
    path = str(tmp_path / "t")
    spark.sql(ROWS).repartition(8).write.format(request.param).save(path)
    return ZOrderTable.forPath(spark, path)


def test_before_and_after(table: ZOrderTable, tmp_path: Path) -> None:
    columns = ["x", "y", "day", "digit"]
    before = plot.extents(table, columns)
    assert before.kinds == {"x": "number", "y": "number", "day": "date", "digit": "text"}
    assert not before.measure("x").is_estimated
    assert before.measure("x").read_share == pytest.approx(1, abs=0.01)
    options = {"target_file_size": str(before.size // 8)}
    result = table.optimize(options).executeZOrderBy("x", "y")
    shares = plot.read_shares(result)
    assert [trace.name for trace in shares.data] == ["before", "after"]
    after = plot.extents(table, columns)
    measured = after.measure("x").read_share
    assert measured is not None
    assert measured < 0.7
    # What follows from the ranges alone is close to what the rows say.
    ranges = plot.extents(table.describeLayout(*columns, extended=True))
    assert ranges.measure("x").read_share == pytest.approx(measured, abs=0.05)
    assert ranges.depths("x").average_depth == pytest.approx(after.measure("x").average_depth)
    assert ranges.depths("y").histogram == after.measure("y").depth_histogram
    assert len(plot.extent_map(before, table, x="x", y="y").data[0].x) == len(before.files)
    path = report(table, columns, tmp_path / "r.html", before=before)
    assert "A point lookup by" in path.read_text(encoding="utf-8")


def test_the_example_is_what_explain_skipping_says(spark: SparkSession, table: ZOrderTable) -> None:
    size = plot.extents(table, "x").size
    table.optimize({"target_file_size": str(size // 8)}).executeZOrderBy("x", "y")
    for columns in (["x", "y"], ["day", "digit"], ["digit", "x"]):
        states = compared(plot.extents(table, columns), None)
        example = example_of(table, None, states)
        assert example is not None, columns
        (opened,) = example.opened
        query = f"SELECT * FROM {table._name_for_spark()} WHERE {example.condition}"
        said = explain_skipping(spark, query).head()
        assert (said["files_read"], said["files_total"]) == (len(opened.files), len(states[0].extents.files))
        assert said["bytes_read"] <= sum(file.size for file in opened.files)
        # No row is outside of the files that are lit, so that they are the ones.
        rows = spark.sql(query).select(input_file_name().alias("file")).distinct().collect()
        assert {row["file"].split("/")[-1] for row in rows} <= {file.path.split("/")[-1] for file in opened.files}
        assert rows
    assert opened.seconds is None


def test_seconds_are_those_of_two_tables(spark: SparkSession, table: ZOrderTable, tmp_path: Path) -> None:
    before = ZOrderTable.forPath(spark, str(tmp_path / "before"))
    spark.sql(ROWS).repartition(8).write.format("parquet").save(str(tmp_path / "before"))
    states = compared(plot.extents(before, ["x", "y"]), plot.extents(table, ["x", "y"]))
    example = example_of(table, before, states)
    assert example is not None
    assert all(opened.seconds and opened.words().endswith("s") for opened in example.opened)
    assert ", took " in example.sentence()


def test_bad_columns_keep_their_condition(table: ZOrderTable, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException) as of_statement:
        table.describeLayout("nope", extended=True).collect()
    with pytest.raises(AnalysisException) as of_report:
        report(table, ["nope"], tmp_path / "r.html")
    assert of_report.value.getCondition() == of_statement.value.getCondition()
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("(a INT) USING delta TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '0')", "1"),
        ("(a ARRAY<INT>) USING parquet", "array(1)"),
    ],
)
def test_a_table_without_statistics_is_not_one_without_files(
    spark: SparkSession, tmp_path: Path, definition: str, value: str
) -> None:
    spark.sql(f"CREATE TABLE unindexed {definition}")
    try:
        table = ZOrderTable.forName(spark, "unindexed")
        with pytest.raises(ZOrderValueError, match="unindexed has no files"):
            report(table, None, tmp_path / "r.html")
        spark.sql(f"INSERT INTO unindexed VALUES ({value})")
        with pytest.raises(ZOrderValueError, match="statistics of none of its columns") as caught:
            report(table, None, tmp_path / "r.html")
        assert caught.value.getCondition() == "ZORDER_NO_STATISTICS_OF_ANY_COLUMN"
        assert table.describeLayout().count() == 0
    finally:
        spark.sql("DROP TABLE unindexed")


def test_old_versions(table: ZOrderTable) -> None:
    before = plot.extents(table, "x")
    table.optimize({"target_file_size": str(before.size // 8)}).executeZOrderBy("x", "y")
    if not table._name_for_spark().startswith("delta."):
        with pytest.raises(ZOrderValueError, match="only Delta tables"):
            plot.extents(table, "x", version=0)
        return
    old = plot.extents(table, "x", version=0)
    assert old.files == before.files
    assert old.measured == before.measured
    with pytest.raises(AnalysisException):
        plot.extents(table, "x", version=99)


@pytest.mark.parametrize("path", [False, True])
def test_versions_of_a_missing_table(spark: SparkSession, tmp_path: Path, *, path: bool) -> None:
    missing = str(tmp_path / "typo")
    table = ZOrderTable.forPath(spark, missing) if path else ZOrderTable.forName(spark, "typo")
    with pytest.raises(AnalysisException) as caught:
        plot.extents(table, version=3)
    assert caught.value.getCondition() == ("PATH_NOT_FOUND" if path else "TABLE_OR_VIEW_NOT_FOUND")


def test_cards(spark: SparkSession, table: ZOrderTable) -> None:
    card = table._repr_html_()
    assert "files <b>8</b>" in card
    assert "size <b>" in card
    assert "format <b>" in card
    table.optimize().executeZOrderBy("x", "y")
    if "<b>delta</b>" in card:
        assert "100\u00a0%" in table._repr_html_()
    missing = ZOrderTable.forName(spark, "no_such_table")
    assert missing._repr_html_() == "<code>ZOrderTable(`no_such_table`)</code>"


def test_results_in_notebooks(spark: SparkSession, table: ZOrderTable) -> None:
    show = HTMLFormatter()
    run = table.optimize({"target_file_size": "20k"}).executeZOrderBy("x", "y")
    name = table._name_for_spark()
    results = {
        "point read share after": run,
        "files per point lookup": table.optimize({"force": True}).dryRun("x", "y"),
        ">verdict<": table.describeLayout("x"),
        "standard error": table.layout("x"),
        ">partition<": table.files("x", "y"),
        "... and 10 more rows.": readable(spark.range(60)),
        "Run: <code>OPTIMIZE": table.advise("x", "y", options={"target_file_size": "5k"}),
        "row groups": explain_skipping(spark, f"SELECT * FROM {name} WHERE x = 1"),
    }
    for words, data in results.items():
        assert isinstance(data, DataFrame)
        assert words in (show(data) or ""), words
    # Showing the run did not run it again, and it can still be asked.
    assert run.select("summary").head()[0] in show(run).replace("&gt;", ">")
    if name.startswith("delta."):
        assert spark.sql(f"DESCRIBE HISTORY {name}").where("operation = 'OPTIMIZE'").count() == 1
    # What is made of a result is PySpark's own.
    assert "<table" not in (show(run.select("summary")) or "")
