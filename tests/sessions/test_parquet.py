# SPDX-License-Identifier: Apache-2.0

"""Plain Parquet tables through the Python package, on classic and Connect sessions."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import duckdb
import pytest
from pyspark.errors import AnalysisException

from spark_zorder import ZOrderTable, explain_skipping

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, Row, SparkSession

FILES = 8
EVENTS = (
    "SELECT CAST(id * 7919 % 1000 AS INT) AS a, CAST(id * 31 % 997 AS INT) AS B, id, CAST(id % 2 AS INT) AS p "
    "FROM range({first}, {end})"
)
OPTIONS = {"target_file_size": "4k"}


def rows_of(table: DataFrame) -> Counter[Row]:
    return Counter(table.collect())


def skipped(spark: SparkSession, source: str, predicate: str) -> tuple[int, int]:
    """Files that a query reads, of how many."""
    (row,) = explain_skipping(spark, f"SELECT * FROM {source} WHERE {predicate}").collect()
    return row["files_read"], row["files_total"]


def written(spark: SparkSession, path: Path, rows: int = 2000) -> Path:
    query = EVENTS.format(first=0, end=rows)
    spark.sql(f"SELECT /*+ REPARTITION({FILES}, id) */ * FROM ({query})").write.parquet(str(path))
    return path


@pytest.mark.statement
def test_a_path_from_statistics_to_incremental_runs(spark: SparkSession, tmp_path: Path) -> None:
    # A name that has to be quoted in SQL, and escaped in a URI.
    path = written(spark, tmp_path / "a `table` of 100%")
    table = ZOrderTable.forPath(spark, path, format="parquet")
    before = rows_of(table.toDF())

    (analyzed,) = table.computeFileStatistics("a", "b").collect()
    (again,) = table.computeFileStatistics().collect()

    assert (analyzed["files"], analyzed["footers_read"], analyzed["columns"]) == (FILES, FILES, ["a", "B"])
    assert (again["footers_read"], again["columns"]) == (0, ["a", "B"])
    assert skipped(spark, table.name, "a = 7")[0] >= FILES - 2

    (planned,) = spark.sql(
        f"OPTIMIZE {table.name} ZORDER BY (a, b) OPTIONS (target_file_size = '4k') DRY RUN"
    ).collect()
    (done,) = table.optimize(OPTIONS).executeZOrderBy("A", "b").collect()

    assert planned["metrics"]["numFilesRemoved"] == done["metrics"]["numFilesRemoved"] == FILES
    assert rows_of(table.toDF()) == before
    read, total = skipped(spark, table.name, "a = 7 AND id >= 0")
    assert total == done["metrics"]["numFilesAdded"]
    assert read * 2 <= total
    layout = {row["column"]: row for row in table.describeLayout("a", "b").collect()}
    assert {row["files"] for row in layout.values()} == {total}

    (idle,) = table.optimize({**OPTIONS, "mode": "incremental"}).executeZOrderBy("a", "b").collect()
    assert idle["metrics"]["numFilesAdded"] == idle["metrics"]["numFilesRemoved"] == 0

    spark.sql(EVENTS.format(first=2000, end=2100)).write.mode("append").parquet(str(path))
    grown = rows_of(table.toDF())
    (more,) = table.optimize({**OPTIONS, "mode": "incremental"}).executeZOrderBy("a", "b").collect()
    assert more["metrics"]["numFilesRemoved"] > 0
    assert rows_of(table.toDF()) == grown
    assert sum(grown.values()) == 2100


@pytest.mark.statement
def test_compaction_without_an_order(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    query = EVENTS.format(first=0, end=2000)
    spark.sql(f"SELECT /*+ REPARTITION({FILES}, id) */ * FROM ({query})").write.partitionBy("p").parquet(str(path))
    table = ZOrderTable.forPath(spark, path, format="parquet")
    before = rows_of(table.toDF())

    (planned,) = table.optimize().where("p = 1").executeCompaction(dryRun=True).collect()
    assert (planned["metrics"]["numFilesRemoved"], planned["metrics"]["numFilesAdded"]) == (FILES, 1)
    assert len(list(path.glob("p=*/*.parquet"))) == 2 * FILES
    (part,) = table.optimize().where("p = 1").executeCompaction().collect()
    assert (part["metrics"]["numFilesRemoved"], part["metrics"]["numFilesAdded"], part["layout"]) == (FILES, 1, [])
    (rest,) = spark.sql(f"OPTIMIZE '{path}'").collect()
    assert (rest["metrics"]["numFilesRemoved"], rest["metrics"]["numFilesAdded"]) == (FILES, 1)
    assert len(list(path.glob("p=*/*.parquet"))) == 2
    assert rows_of(table.toDF()) == before

    table.optimize(OPTIONS).executeZOrderBy("a", "b")
    clustered = set(path.glob("p=*/*.parquet"))
    for first in (2000, 2050):
        more = spark.sql(EVENTS.format(first=first, end=first + 50)).coalesce(1)
        more.write.mode("append").partitionBy("p").parquet(str(path))
    grown = rows_of(table.toDF())
    (small,) = spark.sql(f"OPTIMIZE {table.name} OPTIONS (target_file_size = '10m')").collect()
    assert (small["metrics"]["numFilesRemoved"], small["metrics"]["numFilesAdded"]) == (4, 2)
    assert clustered < set(path.glob("p=*/*.parquet"))
    assert rows_of(table.toDF()) == grown
    assert sum(grown.values()) == 2100

    with pytest.raises(AnalysisException) as error:
        table.optimize({"curve": "hilbert"}).executeCompaction()
    assert error.value.getCondition() == "ZORDER_UNKNOWN_OPTION"


@pytest.mark.statement
def test_undo(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path / "t")
    table = ZOrderTable.forPath(spark, path, format="parquet")
    before = rows_of(table.toDF())
    bytes_before = sorted(f.read_bytes() for f in path.glob("*.parquet"))
    table.optimize({**OPTIONS, "keep_old": "7 days"}).executeZOrderBy("a", "b")
    assert rows_of(table.toDF()) == before

    (kept,) = table.rewrites().collect()
    assert (kept["rewrite"], kept["files"], kept["restorable"]) == (1, FILES, True)
    (done,) = table.restoreBefore(1).collect()

    assert (done["restored_files"], done["removed_files"]) == (FILES, kept["new_files"])
    assert rows_of(table.toDF()) == before
    assert sorted(f.read_bytes() for f in path.glob("*.parquet")) == bytes_before
    assert [row["rewrite"] for row in table.vacuumReplaced(0, dryRun=True).collect()] == [1, 2]
    assert len(table.vacuumReplaced(0).collect()) == 2
    assert table.rewrites().collect() == []


@pytest.mark.statement
def test_repair_moves_a_damaged_entry_away_and_rows_stay(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path / "t")
    table = ZOrderTable.forPath(spark, path, format="parquet")
    before = rows_of(table.toDF())
    table.optimize(OPTIONS).executeZOrderBy("a", "b")
    assert table.repair().collect() == []
    (entry,) = (path / "_zorder/log").glob("*.json")
    entry.write_text("{")
    with pytest.raises(Exception, match="FSCK REPAIR TABLE parquet"):
        table.toDF().collect()

    (foreseen,) = table.repair(dryRun=True).collect()
    (done,) = table.repair().collect()

    assert foreseen == done
    assert (done["rewrite"], done["document"], done["folder"]) == (1, f"_zorder/log/{entry.name}", None)
    assert (path / done["moved_to"] / entry.name).read_text() == "{"
    assert rows_of(table.toDF()) == before


@pytest.mark.statement
def test_a_table_by_name_with_where(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("DROP TABLE IF EXISTS named_events")
    columns = "a INT, B INT, id BIGINT, p INT"
    spark.sql(f"CREATE TABLE named_events ({columns}) USING parquet PARTITIONED BY (p) LOCATION '{tmp_path / 't'}'")
    spark.sql(f"INSERT INTO named_events {EVENTS.format(first=0, end=2000)}").collect()
    table = ZOrderTable.forName(spark, "named_events")
    before = rows_of(table.toDF())

    (one,) = table.optimize(OPTIONS).where("p = 1").executeZOrderBy("a", "B").collect()

    assert one["metrics"]["partitionsOptimized"] == 1
    assert rows_of(table.toDF()) == before
    assert {row["partition"] for row in table.describeLayout("a", extended=True).collect()} == {"p=0", "p=1"}
    (analyzed,) = table.computeFileStatistics(allColumns=True).collect()
    assert analyzed["columns"] == ["a", "B", "id"]
    read, total = skipped(spark, "named_events", "a = 7 AND p = 1")
    assert read * 2 <= total
    spark.sql("DROP TABLE named_events")


@pytest.mark.statement
def test_what_is_not_there_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    table = ZOrderTable.forPath(spark, written(spark, tmp_path / "t", rows=100), format="parquet")
    with pytest.raises(AnalysisException) as no_column:
        table.computeFileStatistics("nothing").collect()
    with pytest.raises(AnalysisException) as no_folder:
        ZOrderTable.forPath(spark, tmp_path / "elsewhere", format="parquet").computeFileStatistics().collect()
    with pytest.raises(AnalysisException) as no_order:
        table.optimize().executeZOrderBy("nothing").collect()

    assert no_column.value.getCondition() == no_order.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert no_folder.value.getCondition() == "ZORDER_PATH_NOT_FOUND"


def test_caches_views_and_joins(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path / "t")
    table = ZOrderTable.forPath(spark, path, format="parquet")
    before = rows_of(table.toDF())
    opened = spark.read.parquet(str(path))
    cached = spark.read.parquet(str(path)).where("a < 100").cache()
    expected = Counter(row for row in before.elements() if row["a"] < 100)
    assert rows_of(cached) == expected
    opened.createOrReplaceTempView("opened")
    spark.sql("CREATE OR REPLACE TEMP VIEW narrow AS SELECT a, id FROM opened WHERE a < 100")

    table.optimize(OPTIONS).executeZOrderBy("a", "B").collect()

    # What was opened or cached before goes on; nothing is read twice or from files that are gone. Only a DataFrame that
    # has itself been collected keeps its list of files: that is Spark's.
    assert rows_of(opened) == before
    assert rows_of(cached.select("*")) == rows_of(opened.where("a < 100")) == expected
    assert spark.sql("SELECT count(*) FROM narrow").collect()[0][0] == sum(expected.values())
    read, total = skipped(spark, table.name, "a < 100")
    assert 0 < read < total
    # The view's rows come out of the cache.
    assert explain_skipping(spark, "SELECT * FROM narrow").collect() == []

    # A new cache after it, and a join of both sides with a filter on one.
    again = spark.read.parquet(str(path)).where("B = 5").cache()
    ids = Counter(row["id"] for row in before.elements() if row["B"] == 5)
    assert Counter(row["id"] for row in again.collect()) == ids
    joined = spark.sql(
        f"SELECT l.id FROM {table.name} l JOIN {table.name} r ON l.id = r.id AND l.a = r.a WHERE r.B = 5 AND l.a >= 0"
    )
    assert Counter(row["id"] for row in joined.collect()) == ids
    semi = spark.sql(f"SELECT id FROM {table.name} WHERE id IN (SELECT id FROM narrow WHERE a = 7)")
    assert Counter(row["id"] for row in semi.collect()) == Counter(r["id"] for r in before.elements() if r["a"] == 7)
    cached.unpersist()
    again.unpersist()


@pytest.mark.parametrize("table_format", ["parquet", "delta"])
def test_a_path_without_a_format(spark: SparkSession, tmp_path: Path, table_format: str) -> None:
    """The folder tells what it holds, for statements and for rows; also behind a path relative to where Spark runs."""
    path = tmp_path / "t"
    spark.range(100).selectExpr("id", "id % 7 AS a").write.format(table_format).save(str(path))
    for name in (path, os.path.relpath(path)):
        table = ZOrderTable.forPath(spark, name)
        planned = table.optimize({"force": True}).dryRun("a").collect()[0]
        done = table.optimize({"force": True}).executeZOrderBy("a").collect()[0]

        assert done["metrics"]["numFilesAdded"] == planned["metrics"]["numFilesAdded"] == 1
        assert table.layout("a").collect()[0]["rows"] == table.toDF().count() == 100


def test_a_relative_path_of_a_format(spark: SparkSession, tmp_path: Path) -> None:
    path = os.path.relpath(written(spark, tmp_path / "t", rows=100))

    table = ZOrderTable.forPath(spark, path, "parquet")

    assert table.optimize({"force": True}).executeZOrderBy("id").collect()[0]["metrics"]["numFilesAdded"] == 1
    assert table.toDF().count() == 100


def test_files_stay_where_nothing_can_be_gained(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    spark.range(0, 1000, 1, 4).write.parquet(str(path))
    before = sorted(file.name for file in path.glob("*.parquet"))
    table = ZOrderTable.forPath(spark, path)

    (row,) = table.optimize().executeZOrderBy("id").collect()

    assert row["summary"].startswith(
        "Nothing to gain by skipping, and nothing was changed: all rows fit in one file of 8.39 MB"
    )
    assert sorted(file.name for file in path.glob("*.parquet")) == before
    (forced,) = table.optimize({"force": True}).executeZOrderBy("id").collect()
    assert forced["metrics"]["numFilesRemoved"] == 4
    assert table.toDF().count() == 1000


def test_readers_that_look_into_all_folders_find_no_data_of_ours(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path / "t")
    table = ZOrderTable.forPath(spark, path, format="parquet")
    before = table.toDF().selectExpr("count(*)", "sum(id)").collect()[0]

    table.optimize({**OPTIONS, "keep_old": "1 hour"}).executeZOrderBy("a", "b")

    assert list(path.glob("_zorder/replaced/*/*.replaced"))
    assert list(path.glob("_zorder/statistics/*.index"))
    for name in (str(path), f"{path}/**/*.parquet"):
        assert duckdb.sql(f"SELECT count(*), sum(id) FROM read_parquet('{name}')").fetchall() == [tuple(before)]
