# SPDX-License-Identifier: Apache-2.0

"""Statements on tables of Iceberg's catalogs, and what other readers then find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from catalogs import NAMES, Catalogs, RestServer, rows
from pyspark.errors import PySparkException

from spark_zorder import ZOrderTable, explain_skipping, plot, report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

MERGE_ON_READ = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
# The 3,000 rows come into four files or more.
SMALL_FILES = {"target_file_size": "10k"}


def create(spark: SparkSession, table: str, *, version: int = 2, partitioned_by: str = "") -> None:
    """A table of 3,000 rows in three files, of which every tenth is deleted and every tenth changed, by deletes."""
    by = f"PARTITIONED BY ({partitioned_by})" if partitioned_by else ""
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, a INT, b DOUBLE, c STRING) USING iceberg {by} "
        f"TBLPROPERTIES ('format-version' = '{version}', {MERGE_ON_READ})"
    )
    for rows_of, files in ("range(0, 2000)", 2), ("range(2000, 3000)", 1):
        spark.sql(
            f"INSERT INTO {table} SELECT /*+ REPARTITION({files}) */ id, CAST(pmod(xxhash64(id), 1000) AS INT), "
            "IF(id % 11 = 0, NULL, pmod(xxhash64(id, 1), 100000) / 100.0D), concat('user-', pmod(xxhash64(id, 2), 50)) "
            f"FROM {rows_of}"
        )
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 0")
    spark.sql(f"UPDATE {table} SET c = 'other' WHERE id % 10 = 1")


def current(spark: SparkSession, table: str) -> int:
    query = f"SELECT snapshot_id FROM {table}.refs WHERE name = 'main'"
    return int(spark.sql(query).collect()[0][0])


def deleted_in(spark: SparkSession, table: str) -> int:
    """How many rows are deleted in data files that the table has."""
    of_files = f"SELECT file_path FROM {table}.data_files"
    return spark.sql(f"SELECT * FROM {table}.position_deletes WHERE file_path IN ({of_files})").count()


def shares(table: ZOrderTable) -> dict[str, float]:
    return {row["column"]: row["point_read_share"] for row in table.layout("a", "b").collect()}


@pytest.mark.parametrize(
    ("catalog", "partitioned_by"),
    [*((name, "") for name in NAMES), ("rest", "bucket(2, id), truncate(6, c)")],
    ids=[*NAMES, "partitions"],
)
def test_rows_stay_the_same(spark: SparkSession, catalogs: Catalogs, catalog: str, partitioned_by: str) -> None:
    name = f"{catalog}.db.t"
    create(spark, name, partitioned_by=partitioned_by)
    before, old = rows(spark, f"SELECT * FROM {name}"), current(spark, name)
    assert (before.total(), deleted_in(spark, name)) == (2700, 600)
    assert catalogs.read_elsewhere(spark, name, None) == [before]
    table = ZOrderTable.forName(spark, name)
    poor = shares(table)

    (done,) = table.optimize(SMALL_FILES).executeZOrderBy("a", "b").collect()

    assert rows(spark, f"SELECT * FROM {name}") == before
    # What was there before is still read by its snapshot.
    assert rows(spark, f"SELECT * FROM {name} VERSION AS OF {old}") == before
    assert catalogs.read_elsewhere(spark, name, None, old) == [before, before]
    assert catalogs.read_elsewhere(spark, name, None, reader="duckdb") == [before]
    assert deleted_in(spark, name) == 0
    files = spark.sql(f"SELECT * FROM {name}.data_files").count()
    assert done["metrics"]["numFilesAdded"] == files == table.files("a").count() > 3
    # A partition's rows fit in one file here.
    assert partitioned_by or all(share < 0.8 < poor[column] for column, share in shares(table).items())
    summary = f"SELECT operation, summary FROM {name}.snapshots WHERE snapshot_id = {current(spark, name)}"
    ((operation, said),) = spark.sql(summary).collect()
    assert (operation, said["spark-zorder.columns"]) == ("replace", "a, b")


def test_deletion_vectors_of_version_3(spark: SparkSession, catalogs: Catalogs) -> None:
    table = "rest.db.v3"
    create(spark, table, version=3)
    lineage = f"SELECT id, _row_id, _last_updated_sequence_number FROM {table}"
    before, told = rows(spark, f"SELECT * FROM {table}"), rows(spark, lineage)
    assert spark.sql(f"SELECT DISTINCT file_format FROM {table}.delete_files").collect() == [("PUFFIN",)]
    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (target_file_size = '10k')")
    assert [rows(spark, f"SELECT * FROM {table}")] == [before] == catalogs.read_elsewhere(spark, table, None)
    assert rows(spark, lineage) == told
    assert spark.sql(f"SELECT * FROM {table}.delete_files").count() == 0


def test_a_table_that_pyiceberg_writes_to_as_well(spark: SparkSession, catalogs: Catalogs) -> None:
    table = "sql.db.both"
    create(spark, table)
    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b)")
    catalogs.append_elsewhere(spark, table, {"id": 9001, "a": 7, "b": 1.5, "c": "there"})
    before = rows(spark, f"SELECT * FROM {table}")
    assert before.total() == 2701
    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b)")
    assert [rows(spark, f"SELECT * FROM {table}")] == [before] == catalogs.read_elsewhere(spark, table, None)


def test_a_delta_table_in_the_same_session(spark: SparkSession) -> None:
    create(spark, "files.db.t")
    spark.sql("CREATE OR REPLACE TABLE in_delta USING delta AS SELECT * FROM files.db.t")
    before = rows(spark, "SELECT * FROM in_delta")
    for table in ("in_delta", "files.db.t"):
        # Parameters come to our statements past both of the others' parsers.
        statement = f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (target_file_size = :size)"
        (done,) = spark.sql(statement, {"size": "10k"}).collect()
        assert done["metrics"]["numFilesAdded"] > 2
    assert rows(spark, "SELECT * FROM in_delta") == before == rows(spark, "SELECT * FROM files.db.t")
    spark.sql("DELETE FROM files.db.t WHERE id IN (SELECT id FROM in_delta)")
    assert spark.table("files.db.t").count() == 0


def test_iceberg_s_own_statements_still_work(spark: SparkSession) -> None:
    table = "rest.db.t"
    create(spark, table)
    before, old = rows(spark, f"SELECT * FROM {table}"), current(spark, table)
    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b)")
    # Position deletes go with their files.
    assert spark.sql(f"SELECT * FROM {table}.delete_files").count() == 0
    arguments = "table => 'db.t', options => map('rewrite-all', 'true')"
    spark.sql(f"CALL rest.system.rewrite_position_delete_files({arguments})").collect()
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(2, id)")
    spark.sql(f"ALTER TABLE {table} CREATE TAG here")
    spark.sql(f"CALL rest.system.rewrite_data_files({arguments})").collect()
    assert rows(spark, f"SELECT * FROM {table}") == before == rows(spark, f"SELECT * FROM {table} VERSION AS OF 'here'")
    spark.sql(f"CALL rest.system.rollback_to_snapshot('db.t', {old})").collect()
    assert rows(spark, f"SELECT * FROM {table}") == before


def test_what_does_not_work_says_so_and_changes_nothing(spark: SparkSession) -> None:
    create(spark, "files.db.t")
    before = current(spark, "files.db.t")
    table = ZOrderTable.forName(spark, "files.db.t")
    refused: list[tuple[str, Callable[[], Any]]] = [
        ("ZORDER_PREDICATE_ON_DATA_COLUMN", lambda: table.optimize().where("id = 1").executeZOrderBy("a")),
        ("ZORDER_PREDICATE_ON_DATA_COLUMN", lambda: table.layout("a", where="id = 1").collect()),
        ("UNRESOLVED_COLUMN.WITH_SUGGESTION", lambda: table.optimize().executeZOrderBy("nothing")),
        ("ZORDER_ICEBERG_KEEPS_ITSELF", lambda: table.computeFileStatistics("a").collect()),
        ("ZORDER_ICEBERG_KEEPS_ITSELF", lambda: table.rewrites().collect()),
        ("ZORDER_ICEBERG_KEEPS_ITSELF", lambda: table.restoreBefore(1).collect()),
        ("ZORDER_ICEBERG_KEEPS_ITSELF", lambda: table.vacuumReplaced().collect()),
        ("ZORDER_ICEBERG_KEEPS_ITSELF", lambda: table.repair().collect()),
        ("ZORDER_ICEBERG_NOT_REWRITABLE", lambda: ZOrderTable.forName(spark, "files.db.t.files").layout().collect()),
        ("ZORDER_ICEBERG_BY_PATH", lambda: ZOrderTable.forPath(spark, "/data/t", "iceberg")),
        ("TABLE_OR_VIEW_NOT_FOUND", lambda: ZOrderTable.forName(spark, "files.db.nothing").layout().collect()),
    ]
    for condition, action in refused:
        with pytest.raises(PySparkException) as caught:
            action()
        assert caught.value.getCondition() == condition
    assert current(spark, "files.db.t") == before


def test_the_python_api_on_a_table(spark: SparkSession, tmp_path: Path) -> None:
    create(spark, "files.db.t")
    table = ZOrderTable.forName(spark, "files.db.t")
    assert table.toDF().count() == 2700
    (foreseen,) = table.optimize(SMALL_FILES).dryRun("a", "b").collect()
    assert foreseen["metrics"]["numFilesAdded"] > 3
    assert [row["column"] for row in table.describeLayout("a", "b").collect()] == ["a", "b"]
    assert "files.db.t" in str(table.benchmark("SELECT * FROM files.db.t WHERE a = 7", runs=1))
    assert table.advise("a", "b", queries="SELECT * FROM files.db.t WHERE a = 7").count() >= 1
    assert explain_skipping(spark, "SELECT * FROM files.db.t WHERE a = 7").count() == 1
    page = report(table, ["a", "b"], tmp_path / "page.html")
    assert "files.db.t" in page.read_text()
    run = table.optimize(SMALL_FILES).executeZOrderBy("a", "b").collect()[0]["metrics"]
    card = table._repr_html_()
    assert f"format <b>iceberg</b> · files <b>{run['numFilesAdded']}</b>" in card
    assert "estimated" in card
    assert len(plot.extents(table, ["a", "b"]).files) == run["numFilesAdded"]


@pytest.mark.parametrize("catalog", NAMES)
def test_joins_leave_out_files_and_inserts_obey_the_order(
    spark: SparkSession, catalogs: Catalogs, catalog: str
) -> None:
    name = f"{catalog}.db.sorted"
    create(spark, f"{catalog}.db.t")
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(f"CREATE TABLE {name} USING iceberg SORT BY ZORDER (a, b) AS SELECT * FROM {catalog}.db.t")
    spark.sql(f"INSERT INTO {name} SELECT * FROM {catalog}.db.t")
    expected = rows(spark, f"SELECT * FROM {catalog}.db.t")
    assert rows(spark, f"SELECT * FROM {name}") == expected + expected
    assert catalogs.read_elsewhere(spark, name, None) == [expected + expected]
    ZOrderTable.forName(spark, name).optimize(SMALL_FILES).executeZOrderBy("a", "b")
    query = f"SELECT * FROM {name} t WHERE a IN (SELECT CAST(id AS INT) FROM range(3))"

    (explained,) = explain_skipping(spark, query).collect()
    found = rows(spark, query)

    assert "a IN (keys of join by " in explained["note"]
    spark.conf.set("spark.sql.zorder.skipping.enabled", "false")
    try:
        assert rows(spark, query) == found
    finally:
        spark.conf.unset("spark.sql.zorder.skipping.enabled")
    assert found.total() > 0


def data_on_disk(catalogs: Catalogs, table: str) -> set[str]:
    return {file.name for file in (catalogs.folder / "rest" / "db" / table / "data").rglob("*.parquet")}


@pytest.fixture
def commits(catalogs: Catalogs) -> Iterator[RestServer]:
    yield catalogs.rest
    catalogs.rest.answer_commits(None)


@pytest.mark.parametrize(
    ("answer", "condition"), [("409", "ZORDER_ICEBERG_CONFLICT"), ("502", "ZORDER_ICEBERG_COMMIT_UNKNOWN")]
)
def test_a_catalog_that_does_not_take_the_commit(
    spark: SparkSession, catalogs: Catalogs, commits: RestServer, answer: str, condition: str
) -> None:
    table = "rest.db.refused"
    create(spark, table)
    before, old, files = rows(spark, f"SELECT * FROM {table}"), current(spark, table), data_on_disk(catalogs, "refused")
    commits.answer_commits(answer)
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b)")
    commits.answer_commits(None)
    assert caught.value.getCondition() == condition
    assert current(spark, table) == old
    # What a catalog may have committed is not deleted.
    assert (data_on_disk(catalogs, "refused") == files) == (answer == "409")
    assert [rows(spark, f"SELECT * FROM {table}")] == [before] == catalogs.read_elsewhere(spark, table, None)


def test_a_commit_whose_answer_is_lost(spark: SparkSession, commits: RestServer) -> None:
    """Iceberg's client then looks whether it is there."""
    table = "rest.db.lost"
    create(spark, table)
    before, old = rows(spark, f"SELECT * FROM {table}"), current(spark, table)
    commits.answer_commits("done 502")
    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b)")
    commits.answer_commits(None)
    assert current(spark, table) != old
    assert rows(spark, f"SELECT * FROM {table}") == before
