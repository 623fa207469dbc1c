# SPDX-License-Identifier: Apache-2.0

"""OPTIMIZE and DESCRIBE LAYOUT end to end, on classic and Connect sessions."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from points import FILES, ROWS, bytes_per_file, create_points

from spark_zorder import ZOrderTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, Row, SparkSession


def rows_of(table: DataFrame) -> Counter[Row]:
    return Counter(table.collect())


def files_by_column(spark: SparkSession, name: str) -> dict[str, dict[str, Row]]:
    """What DESCRIBE LAYOUT EXTENDED says, by column and file."""
    result: dict[str, dict[str, Row]] = {}
    for row in spark.sql(f"DESCRIBE LAYOUT EXTENDED {name}").collect():
        result.setdefault(row["column"], {})[row["file"]] = row
    return result


def read_share(files: dict[str, Row], values: list[int]) -> float:
    """By hand: the mean share of the files whose range holds a value."""
    ranges = [(int(f["min"]), int(f["max"])) for f in files.values()]
    return sum(low <= v <= high for v in values for low, high in ranges) / len(values) / len(ranges)


@pytest.mark.statement
def test_optimize_returns_path_metrics_and_layout(spark: SparkSession) -> None:
    name = create_points(spark, "optimized")
    detail = spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]
    size = bytes_per_file(spark, name)

    result = spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{size}')")

    assert result.columns == ["path", "metrics", "layout", "summary"]
    # Without ZORDER the statement is Delta's: whoever reads its metrics can read ours.
    theirs = spark.sql(f"OPTIMIZE {create_points(spark, 'optimized_by_delta')}")
    assert result.schema["metrics"].dataType == theirs.schema["metrics"].dataType
    (row,) = result.collect()
    assert row["path"] == detail["location"]
    after = spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]
    assert row["metrics"]["numFilesRemoved"] == detail["numFiles"] == FILES
    assert row["metrics"]["numFilesAdded"] == after["numFiles"]
    assert row["metrics"]["filesRemoved"]["totalSize"] == detail["sizeInBytes"]
    assert row["metrics"]["filesAdded"]["totalSize"] == after["sizeInBytes"]
    assert re.fullmatch(
        r"x 100 % -> \d+ %, y 100 % -> \d+ % of files per point lookup; "
        rf"{FILES} -> {after['numFiles']} files; [0-9.]+ -> [0-9.]+ [kM]?B; [0-9.]+ s",
        row["summary"],
    )
    assert [gain["column"] for gain in row["layout"]] == ["x", "y"]
    for gain in row["layout"]:
        assert gain["point_read_share_before"] > 0.99
        assert gain["point_read_share_after"] < 0.4
        assert gain["average_depth_after"] < gain["average_depth_before"] == FILES


def test_rows_stay_the_same_and_files_get_narrow(spark: SparkSession) -> None:
    name = create_points(spark, "narrow")
    before = rows_of(spark.table(name))

    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{bytes_per_file(spark, name)}')")

    assert rows_of(spark.table(name)) == before
    assert sum(before.values()) == ROWS
    for files in (files_by_column(spark, name)[column] for column in ("x", "y")):
        assert read_share(files, list(range(64))) < 0.4


@pytest.mark.daily
@pytest.mark.statement
def test_describe_layout_agrees_with_a_count_of_ranges(spark: SparkSession) -> None:
    name = create_points(spark, "counted")
    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{bytes_per_file(spark, name)}')")

    layout = {row["column"]: row for row in ZOrderTable.forName(spark, name).layout("x", "y", "name").collect()}

    extended = files_by_column(spark, name)
    for column in ("x", "y"):
        files = extended[column]
        assert layout[column]["files"] == len(files)
        assert layout[column]["rows"] == sum(f["rows"] for f in files.values()) == ROWS
        assert layout[column]["bytes"] == sum(f["bytes"] for f in files.values())
        assert (layout[column]["min"], layout[column]["max"], layout[column]["null_count"]) == ("0", "63", 0)
        # Every value of x and of y is in 64 rows, so all weigh the same.
        assert layout[column]["point_read_share"] == pytest.approx(read_share(files, list(range(64))))
        ranges = [(int(f["min"]), int(f["max"])) for f in files.values()]
        overlaps = [sum(a <= d and c <= b for c, d in ranges) - 1 for a, b in ranges]
        assert layout[column]["average_overlaps"] == pytest.approx(sum(overlaps) / len(overlaps))
        deepest = [max(sum(c <= v <= d for c, d in ranges) for v in range(a, b + 1)) for a, b in ranges]
        assert layout[column]["average_depth"] == pytest.approx(sum(deepest) / len(deepest))
        assert layout[column]["max_depth"] == max(deepest)
        assert sum(layout[column]["depth_histogram"].values()) == len(files)
    assert layout["name"]["null_count"] == spark.table(name).where("name IS NULL").count()
    assert layout["name"]["min"].startswith("é0")


@pytest.mark.statement
def test_extended_layout_agrees_with_the_files(spark: SparkSession) -> None:
    name = create_points(spark, "extended")
    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{bytes_per_file(spark, name)}')")
    read = spark.sql(
        f"SELECT _metadata.file_name AS file, min(x) AS low, max(x) AS high, count(*) AS n FROM {name} GROUP BY ALL"
    ).collect()

    described = files_by_column(spark, name)["x"]

    found = {file.rsplit("/", 1)[-1]: (row["min"], row["max"], row["rows"]) for file, row in described.items()}
    assert found == {row["file"]: (str(row["low"]), str(row["high"]), row["n"]) for row in read}
    assert all(row["row_groups"] == 1 and row["partition"] == "" for row in described.values())
    files = ZOrderTable.forName(spark, name).files("x")
    assert {row["file"]: row for row in files.collect()} == described
    narrow = files.where("CAST(max AS INT) - CAST(min AS INT) < 63").count()
    assert narrow == sum(row["high"] - row["low"] < 63 for row in read)


def test_history_says_what_was_done(spark: SparkSession) -> None:
    name = create_points(spark, "remembered", partitioned_by="even")
    spark.sql(f"OPTIMIZE {name} WHERE even ZORDER BY (x, y)")

    latest = spark.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()[0]

    assert latest["operation"] == "OPTIMIZE"
    assert latest["operationParameters"]["zOrderBy"] == '["x","y"]'
    assert "even" in latest["operationParameters"]["predicate"]
    assert latest["operationMetrics"]["numRemovedFiles"] == str(FILES)


def test_a_predicate_chooses_partitions(spark: SparkSession) -> None:
    name = create_points(spark, "chosen", partitioned_by="even")
    before, files = rows_of(spark.table(name)), files_by_column(spark, name)["x"]

    (result,) = ZOrderTable.forName(spark, name).optimize().where("even = true").executeZOrderBy("x", "y").collect()

    assert result["metrics"]["partitionsOptimized"] == 1
    after = files_by_column(spark, name)["x"]
    odd = {file for file, row in files.items() if "false" in row["partition"]}
    assert {file for file in after if "false" in after[file]["partition"]} == odd
    assert len(after) == len(odd) + result["metrics"]["numFilesAdded"]
    assert rows_of(spark.table(name)) == before


def test_all_partitions_and_none_mixed(spark: SparkSession) -> None:
    name = create_points(spark, "partitioned", partitioned_by="even")
    before = rows_of(spark.table(name))
    size = bytes_per_file(spark, name, 8)

    ZOrderTable.forName(spark, name).optimize().option("target_file_size", size).executeZOrderBy(["x", "y"]).collect()

    assert rows_of(spark.table(name)) == before
    values = spark.sql(f"SELECT count(DISTINCT even) AS n FROM {name} GROUP BY _metadata.file_path").collect()
    assert len(values) >= 4
    assert {row["n"] for row in values} == {1}


@pytest.mark.statement
def test_incremental_runs_leave_clustered_files_alone(spark: SparkSession) -> None:
    name = create_points(spark, "growing", properties="delta.enableDeletionVectors = false")
    options = {"mode": "incremental", "target_file_size": str(bytes_per_file(spark, name))}
    table = ZOrderTable.forName(spark, name)
    table.optimize(options).executeZOrderBy("x").collect()

    (idle,) = table.optimize(options).executeZOrderBy("x").collect()

    assert idle["metrics"]["numFilesAdded"] == idle["metrics"]["numFilesRemoved"] == 0
    clustered = set(files_by_column(spark, name)["x"])
    assert idle["metrics"]["totalFilesSkipped"] == len(clustered)

    # What arrives has values of x of its own.
    spark.sql(f"INSERT INTO {name} SELECT x + 1000, y, id + 10000, name, even FROM {name} WHERE x < 4").collect()
    before = rows_of(spark.table(name))

    (grown,) = table.optimize(options).executeZOrderBy("x").collect()

    assert rows_of(spark.table(name)) == before
    assert clustered < set(files_by_column(spark, name)["x"])
    assert grown["metrics"]["zOrderStats"]["strategyName"] == "incremental"

    (other,) = table.optimize(options).executeZOrderBy("y").collect()

    assert "in full, it was clustered by (x) along zorder" in other["metrics"]["zOrderStats"]["strategyName"]
    assert not clustered & set(files_by_column(spark, name)["x"])
    assert rows_of(spark.table(name)) == before


def test_a_predicate_on_data_chooses_files(spark: SparkSession) -> None:
    name = create_points(spark, "overlapping")
    size = bytes_per_file(spark, name)
    table = ZOrderTable.forName(spark, name)
    table.optimize({"target_file_size": size}).executeZOrderBy("x").collect()
    before, files = rows_of(spark.table(name)), files_by_column(spark, name)["x"]

    chosen = table.optimize({"where_files": "overlapping", "target_file_size": size}).where("x < 8")
    (result,) = chosen.executeZOrderBy("y").collect()

    kept = {file for file, row in files.items() if int(row["min"]) >= 8}
    assert kept
    assert result["metrics"]["numFilesRemoved"] == len(files) - len(kept)
    assert kept < set(files_by_column(spark, name)["x"])
    assert rows_of(spark.table(name)) == before


def test_batches_commit_one_after_the_other(spark: SparkSession) -> None:
    name = create_points(spark, "in_batches", partitioned_by="even")
    before = rows_of(spark.table(name))

    (result,) = ZOrderTable.forName(spark, name).optimize({"batch_size": 1}).executeZOrderBy("x", "y").collect()

    assert result["metrics"]["numBatches"] == result["metrics"]["partitionsOptimized"] == 2
    operations = [row["operation"] for row in spark.sql(f"DESCRIBE HISTORY {name}").collect()]
    assert operations[:2] == ["OPTIMIZE", "OPTIMIZE"]
    assert rows_of(spark.table(name)) == before


@pytest.mark.daily
@pytest.mark.statement
def test_for_path(spark: SparkSession, tmp_path: Path) -> None:
    name = create_points(spark, "by_name")
    path = tmp_path / "a table"
    spark.table(name).repartition(FILES, "id").write.format("delta").save(str(path))
    before = rows_of(spark.table(name))

    table = ZOrderTable.forPath(spark, path)
    (result,) = table.optimize().executeZOrderBy("x", "y").collect()

    assert result["metrics"]["numFilesRemoved"] == FILES
    assert rows_of(table.toDF()) == before
    assert [row["column"] for row in table.describeLayout("y", "x").collect()] == ["y", "x"]
    assert spark.sql(f"DESCRIBE LAYOUT '{path}' ON (x)").collect()[0]["files"] == result["metrics"]["numFilesAdded"]


def test_an_open_dataframe_goes_on_reading(spark: SparkSession) -> None:
    name = create_points(spark, "open")
    opened = spark.sql(f"SELECT x, y FROM {name} VERSION AS OF 1")
    latest = spark.table(name)
    before = rows_of(latest)

    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y)")

    assert rows_of(latest) == before
    assert opened.count() == ROWS


def test_an_empty_table_gets_no_commit(spark: SparkSession) -> None:
    spark.sql("DROP TABLE IF EXISTS nothing")
    spark.sql("CREATE TABLE nothing (x INT, y INT) USING delta")

    (row,) = spark.sql("OPTIMIZE nothing ZORDER BY (x, y)").collect()

    assert row["metrics"]["numFilesAdded"] == row["metrics"]["numFilesRemoved"] == 0
    assert row["metrics"]["totalConsideredFiles"] == 0
    assert row["layout"] == []
    assert row["summary"] == "Nothing to do: the table has no files."
    assert [h["operation"] for h in spark.sql("DESCRIBE HISTORY nothing").collect()] == ["CREATE TABLE"]


def test_other_tables_of_the_session_are_not_touched(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    name = create_points(spark, "source")
    location = spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]["location"].removeprefix("file:")
    shutil.copytree(location, path)

    spark.sql(f"OPTIMIZE delta.`{path}` ZORDER BY (x)")

    assert spark.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()[0]["operation"] == "WRITE"


@pytest.mark.parametrize("columns", ["`x`, `y`", "(X, Y)", "x, points.y"])
def test_spellings_of_columns(spark: SparkSession, columns: str) -> None:
    name = create_points(spark, "points")

    (row,) = spark.sql(f"optimize {name} zorder by {columns};").collect()

    assert [gain["column"] for gain in row["layout"]] == ["x", "y"]


def test_nested_fields_and_names_with_dots(spark: SparkSession) -> None:
    spark.sql("DROP TABLE IF EXISTS nested")
    spark.sql("CREATE TABLE nested USING delta AS SELECT struct(id AS a, id % 7 AS b) AS s, id AS `d.e` FROM range(50)")

    (row,) = spark.sql("OPTIMIZE nested ZORDER BY (s.b, `d.e`)").collect()

    assert [gain["column"] for gain in row["layout"]] == ["s.b", "`d.e`"]
