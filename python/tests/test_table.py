# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import SparkSession

from spark_zorder import (
    ZOrderSessionError,
    ZOrderTable,
    ZOrderTypeError,
    ZOrderValueError,
    explain_skipping,
    require_extension,
)

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

    from tests.conftest import FakeSpark


@pytest.fixture
def table(spark: SparkSession) -> ZOrderTable:
    return ZOrderTable.forName(spark, "db.flights")


def condition_of(caught: pytest.ExceptionInfo[PySparkException]) -> str | None:
    return caught.value.getCondition()


def test_names_and_paths(spark: SparkSession, fake: FakeSpark) -> None:
    assert ZOrderTable.forName(spark, "c.`my.db`.t").name == "`c`.`my.db`.`t`"
    assert ZOrderTable.forPath(spark, "s3://b/a`b", "delta").name == "delta.`s3://b/a``b`"
    assert ZOrderTable.forPath(spark, Path("/data/t"), "delta").name == "delta.`/data/t`"
    assert ZOrderTable.forPath(spark, "/data/t", format="parquet").name == "parquet.`/data/t`"
    assert ZOrderTable.forPath(spark, "t", format="parquet").name == "parquet.`t`"
    assert fake.statements == []


def test_a_path_without_a_format_leaves_the_choice_to_sql(spark: SparkSession, fake: FakeSpark) -> None:
    table = ZOrderTable.forPath(spark, Path("/data/it's"))
    assert table.name == r"'/data/it\'s'"
    table.describeLayout()
    table.optimize().executeZOrderBy("a")
    assert fake.statements == [r"DESCRIBE LAYOUT '/data/it\'s'", r"OPTIMIZE '/data/it\'s' ZORDER BY (`a`)"]


def test_repr_and_rows(table: ZOrderTable, fake: FakeSpark) -> None:
    assert repr(table) == "ZOrderTable(`db`.`flights`)"
    table.toDF()
    assert fake.tables == ["`db`.`flights`"]


def test_a_look_for_a_log_of_delta_warns_of_nothing(spark: SparkSession, fake: FakeSpark) -> None:
    table = ZOrderTable.forPath(spark, "/data/t")
    asked: list[Any] = []

    class Reader:
        columns = ("value",)

        def format(self, _name: str) -> Reader:
            return self

        def load(self, path: Any) -> Reader:
            asked.append(path)
            return self

    fake.read = Reader()  # type: ignore[attr-defined]
    assert table._name_for_spark() == "delta.`/data/t`"
    # Of one path that is missing Spark logs a warning with a stack trace.
    assert asked == [["/data/t/_delta_log"] * 2]


def test_columns_in_one_string(table: ZOrderTable, fake: FakeSpark) -> None:
    with pytest.raises(ZOrderValueError) as caught:
        table.optimize().executeZOrderBy("user, `a,b`.c,place")
    assert condition_of(caught) == "ZORDER_COLUMNS_IN_ONE_STRING"
    assert "('user', '`a,b`.c', 'place')" in str(caught.value)
    with pytest.raises(ZOrderValueError, match=r"Write describeLayout\('user', 'place'\)"):
        table.describeLayout("user,place")
    table.optimize().executeZOrderBy("`a,b`", "c")
    assert fake.statements == ["OPTIMIZE `db`.`flights` ZORDER BY (`a,b`, `c`)"]


def test_compaction(table: ZOrderTable, fake: FakeSpark) -> None:
    table.optimize().executeCompaction()
    table.optimize({"target_file_size": "1m"}).where("day = 1 -- x").executeCompaction(dryRun=True)
    assert fake.statements == [
        "OPTIMIZE `db`.`flights`",
        "OPTIMIZE `db`.`flights` WHERE day = 1 -- x \n OPTIONS ('target_file_size' = '1m') DRY RUN",
    ]


def test_optimize_quotes_columns(table: ZOrderTable, fake: FakeSpark) -> None:
    rows = table.optimize().executeZOrderBy("lat", "a.b", "`a.b`")
    assert fake.statements == ["OPTIMIZE `db`.`flights` ZORDER BY (`lat`, `a`.`b`, `a.b`)"]
    assert str(rows) == "rows of " + fake.statements[0]


def test_dry_run(table: ZOrderTable, fake: FakeSpark) -> None:
    rows = table.optimize({"mode": "incremental"}).where("d = 1").dryRun("lat", "a.b")
    assert fake.statements == [
        "OPTIMIZE `db`.`flights` WHERE d = 1 ZORDER BY (`lat`, `a`.`b`) OPTIONS ('mode' = 'incremental') DRY RUN"
    ]
    assert str(rows) == "rows of " + fake.statements[0]


def test_options_are_a_dict(table: ZOrderTable) -> None:
    wrong: Any = "mode"
    with pytest.raises(ZOrderTypeError, match="options must be a dict, but is 'mode' of type str"):
        table.optimize(wrong)


@pytest.mark.parametrize("wrong", [None, "spark", SparkSession, SparkSession.builder])
def test_a_session_is_a_session(wrong: Any) -> None:
    for call in (
        lambda: ZOrderTable.forName(wrong, "t"),
        lambda: ZOrderTable.forPath(wrong, "/t"),
        lambda: explain_skipping(wrong, "SELECT 1"),
        lambda: require_extension(wrong),
    ):
        with pytest.raises(ZOrderTypeError, match="spark must be a SparkSession"):
            call()


def test_a_dry_run_needs_columns(table: ZOrderTable, fake: FakeSpark) -> None:
    with pytest.raises(ZOrderValueError, match="dryRun") as caught:
        table.optimize().dryRun()
    assert condition_of(caught) == "ZORDER_NO_COLUMNS"
    with pytest.raises(ZOrderTypeError):
        table.optimize().dryRun(1)  # type: ignore[arg-type]
    assert fake.statements == []


def test_a_builder_shows_its_statement(table: ZOrderTable, fake: FakeSpark) -> None:
    builder = table.optimize()
    assert repr(builder) == "ZOrderOptimizeBuilder(OPTIMIZE `db`.`flights` ZORDER BY (...))"
    builder.where("d = 1").option("curve", "hilbert")
    assert repr(builder) == (
        "ZOrderOptimizeBuilder(OPTIMIZE `db`.`flights` WHERE d = 1 ZORDER BY (...) OPTIONS ('curve' = 'hilbert'))"
    )
    assert fake.statements == []


@pytest.mark.parametrize("cols", [["a", "b"], ("a", "b")])
def test_columns_as_one_list(table: ZOrderTable, fake: FakeSpark, cols: Any) -> None:
    table.optimize().executeZOrderBy(cols)
    assert fake.statements == ["OPTIMIZE `db`.`flights` ZORDER BY (`a`, `b`)"]


def test_where_and_options_in_any_order(table: ZOrderTable, fake: FakeSpark) -> None:
    builder = table.optimize({"curve": "zorder"}).option("target_file_size", 1024).where("year = 2013 OR month > 6")
    builder.option("curve", "it's").option("x", True).executeZOrderBy("a")
    assert fake.statements == [
        "OPTIMIZE `db`.`flights` WHERE year = 2013 OR month > 6 ZORDER BY (`a`) "
        r"OPTIONS ('curve' = 'it\'s', 'target_file_size' = '1024', 'x' = 'true')"
    ]


def test_the_result_of_where_may_be_ignored_as_in_delta(table: ZOrderTable, fake: FakeSpark) -> None:
    builder = table.optimize()
    builder.where("d = 1")
    builder.executeZOrderBy("a")
    assert fake.statements == ["OPTIMIZE `db`.`flights` WHERE d = 1 ZORDER BY (`a`)"]


def test_sort_by(table: ZOrderTable, fake: FakeSpark) -> None:
    table.sortBy("a", "b.c", "`d.e`")
    table.sortBy(["a"], order="LEXICAL")
    table.sortBy()
    assert fake.statements == [
        "ALTER TABLE `db`.`flights` SORT BY ZORDER (`a`, `b`.`c`, `d.e`)",
        "ALTER TABLE `db`.`flights` SORT BY LEXICAL (`a`)",
        "ALTER TABLE `db`.`flights` SORT BY ()",
    ]


def test_an_order_with_scope_and_key_is_one_statement(table: ZOrderTable, fake: FakeSpark) -> None:
    table.sortBy("a", "it's", scope="global")
    table.sortBy("a", "b", key="raw", scope="local")
    start = "ALTER TABLE `db`.`flights` SET TBLPROPERTIES ("
    assert fake.statements == [
        start + r"'sort.columns' = '`a`, `it\'s`', 'sort.order' = 'ZORDER', 'sort.scope' = 'global')",
        start + "'sort.columns' = '`a`, `b`', 'sort.order' = 'ZORDER', 'sort.scope' = 'local', 'sort.key' = 'raw')",
    ]


def test_sort_by_of_paths(spark: SparkSession, fake: FakeSpark) -> None:
    ZOrderTable.forPath(spark, "/data/t", format="delta").sortBy("a", "b")
    assert fake.statements == ["ALTER TABLE delta.`/data/t` SORT BY ZORDER (`a`, `b`)"]


@pytest.mark.parametrize("argument", ["order", "scope", "key"])
def test_sort_by_refuses_other_words(table: ZOrderTable, fake: FakeSpark, argument: str) -> None:
    wrong: dict[str, Any] = {argument: "sideways"}
    with pytest.raises(ZOrderValueError, match=f"{argument} is 'sideways'") as caught:
        table.sortBy("a", "b", **wrong)
    assert condition_of(caught) == "ZORDER_UNKNOWN_ARGUMENT"
    wrong = {argument: 1}
    with pytest.raises(ZOrderTypeError):
        table.sortBy("a", "b", **wrong)
    assert fake.statements == []


def test_scope_and_key_are_of_an_order(table: ZOrderTable, fake: FakeSpark) -> None:
    with pytest.raises(ZOrderValueError, match=r"given key and no column.*sortBy\(\)") as caught:
        table.sortBy(key="raw")
    assert condition_of(caught) == "ZORDER_ORDER_WITHOUT_COLUMNS"
    assert fake.statements == []


def test_describe_layout(table: ZOrderTable, fake: FakeSpark) -> None:
    table.describeLayout("a", "b.c")
    table.describeLayout(["a"], extended=True)
    table.describeLayout()
    assert fake.statements == [
        "DESCRIBE LAYOUT `db`.`flights` ON (`a`, `b`.`c`)",
        "DESCRIBE LAYOUT EXTENDED `db`.`flights` ON (`a`)",
        "DESCRIBE LAYOUT `db`.`flights`",
    ]


def test_advise_takes_columns_queries_options_and_a_recording(table: ZOrderTable, fake: FakeSpark) -> None:
    table.advise()
    table.advise("a", "b.c", queries="SELECT * FROM t WHERE a = 1")
    table.advise(["a"], queries=["SELECT 1 -- one", "TABLE t"], options={"target_file_size": 4096})
    table.advise(recording=Path("/queries/it's"))
    assert fake.statements == [
        "ADVISE LAYOUT `db`.`flights`",
        "ADVISE LAYOUT `db`.`flights` ON (`a`, `b`.`c`) FOR (SELECT * FROM t WHERE a = 1)",
        "ADVISE LAYOUT `db`.`flights` ON (`a`) FOR (SELECT 1 -- one \n), (TABLE t) "
        "OPTIONS ('target_file_size' = '4096')",
        r"ADVISE LAYOUT `db`.`flights` OPTIONS ('recording' = '/queries/it\'s')",
    ]


@pytest.mark.parametrize(
    ("arguments", "condition"),
    [
        ({"queries": [1]}, "ZORDER_INVALID_TYPE"),
        ({"queries": 5}, "ZORDER_INVALID_TYPE"),
        ({"options": "x"}, "ZORDER_INVALID_TYPE"),
        ({"recording": 1}, "ZORDER_INVALID_TYPE"),
        ({"options": {"curve": None}}, "ZORDER_INVALID_TYPE"),
        ({"recording": " "}, "ZORDER_EMPTY_ARGUMENT"),
    ],
)
def test_advise_of_wrong_arguments(table: ZOrderTable, fake: FakeSpark, arguments: Any, condition: str) -> None:
    with pytest.raises((ZOrderTypeError, ZOrderValueError)) as caught:
        table.advise("a", **arguments)
    assert condition_of(caught) == condition
    assert fake.statements == []


def test_layout_and_files(spark: SparkSession, table: ZOrderTable, fake: FakeSpark) -> None:
    table.layout("a", "b.c", where="d = 'x'", allRows=True)
    table.layout()
    table.files(["a"])
    ZOrderTable.forPath(spark, "/data/it's").files()
    assert fake.statements == [
        "SELECT * FROM describe_layout(table => '`db`.`flights`', columns => array('`a`', '`b`.`c`'), "
        r"where => 'd = \'x\'', all_rows => true)",
        "SELECT * FROM describe_layout(table => '`db`.`flights`')",
        "SELECT * FROM layout_files(table => '`db`.`flights`', columns => array('`a`'))",
        r"SELECT * FROM layout_files(table => '\'/data/it\\\'s\'')",
    ]


@pytest.mark.parametrize("wrong", [{"where": 1}, {"allRows": "yes"}])
def test_arguments_of_layout_have_types(table: ZOrderTable, fake: FakeSpark, wrong: Any) -> None:
    with pytest.raises(ZOrderTypeError) as caught:
        table.layout("a", **wrong)
    assert condition_of(caught) == "ZORDER_INVALID_TYPE"
    with pytest.raises(ZOrderValueError, match="where is empty"):
        table.files("a", where=" ")
    assert fake.statements == []


def test_compute_file_statistics(spark: SparkSession, fake: FakeSpark) -> None:
    table = ZOrderTable.forPath(spark, "/data/a`b", format="parquet")
    table.computeFileStatistics()
    table.computeFileStatistics("a", "b.c", "`d.e`")
    table.computeFileStatistics(["a"])
    table.computeFileStatistics(allColumns=True)
    start = "ANALYZE TABLE parquet.`/data/a``b` COMPUTE FILE STATISTICS"
    assert fake.statements == [
        start,
        f"{start} FOR COLUMNS `a`, `b`.`c`, `d.e`",
        f"{start} FOR COLUMNS `a`",
        f"{start} FOR ALL COLUMNS",
    ]


def test_replaced_files(spark: SparkSession, fake: FakeSpark) -> None:
    table = ZOrderTable.forPath(spark, "/data/t", format="parquet")
    table.rewrites()
    table.restoreBefore(3)
    table.vacuumReplaced()
    table.vacuumReplaced(0, dryRun=True)
    name = "parquet.`/data/t`"
    assert fake.statements == [
        f"DESCRIBE REWRITES {name}",
        f"RESTORE TABLE {name} TO BEFORE REWRITE 3",
        f"VACUUM {name} REPLACED FILES",
        f"VACUUM {name} REPLACED FILES RETAIN 0 HOURS DRY RUN",
    ]


def test_repair_is_one_statement(spark: SparkSession, fake: FakeSpark) -> None:
    table = ZOrderTable.forPath(spark, "/data/t", format="parquet")
    table.repair()
    table.repair(dryRun=True)
    with pytest.raises(ZOrderTypeError):
        table.repair("yes")  # type: ignore[arg-type]
    assert fake.statements == ["FSCK REPAIR TABLE parquet.`/data/t`", "FSCK REPAIR TABLE parquet.`/data/t` DRY RUN"]


@pytest.mark.parametrize("number", [True, -1, "3", 1.5, None])
def test_numbers_of_rewrites(table: ZOrderTable, fake: FakeSpark, number: Any) -> None:
    with pytest.raises(ZOrderTypeError):
        table.restoreBefore(number)
    if number is not None:
        with pytest.raises(ZOrderTypeError):
            table.vacuumReplaced(number)
    with pytest.raises(ZOrderTypeError):
        table.vacuumReplaced(dryRun=number if number is not True else 1)  # type: ignore[arg-type]
    assert fake.statements == []


def test_statistics_of_columns_or_of_all(table: ZOrderTable, fake: FakeSpark) -> None:
    with pytest.raises(ZOrderValueError) as caught:
        table.computeFileStatistics("a", allColumns=True)
    assert condition_of(caught) == "ZORDER_COLUMNS_AND_ALL"
    assert fake.statements == []


@pytest.mark.parametrize("cols", [(), ([],), ((),)])
def test_no_columns(table: ZOrderTable, fake: FakeSpark, cols: Any) -> None:
    with pytest.raises(ZOrderValueError, match=r"executeZOrderBy\('a', 'b\.c', '`d\.e`'\)") as caught:
        table.optimize().executeZOrderBy(*cols)
    assert condition_of(caught) == "ZORDER_NO_COLUMNS"
    assert isinstance(caught.value, ValueError)
    assert fake.statements == []


@pytest.mark.parametrize("cols", [(1,), ("a", None), (["a", 2],), ("a", ["b"])])
def test_columns_are_strings(table: ZOrderTable, fake: FakeSpark, cols: Any) -> None:
    with pytest.raises(ZOrderTypeError) as caught:
        table.optimize().executeZOrderBy(*cols)
    assert condition_of(caught) == "ZORDER_INVALID_TYPE"
    assert isinstance(caught.value, TypeError)
    with pytest.raises(ZOrderTypeError):
        table.describeLayout(*cols)
    with pytest.raises(ZOrderTypeError):
        table.layout(*cols)
    with pytest.raises(ZOrderTypeError):
        table.files(*cols)
    with pytest.raises(ZOrderTypeError):
        table.computeFileStatistics(*cols)
    with pytest.raises(ZOrderTypeError):
        table.advise(*cols)
    assert fake.statements == []


def test_one_predicate(table: ZOrderTable) -> None:
    with pytest.raises(ZOrderValueError) as caught:
        table.optimize().where("a = 1").where("b = 2")
    assert condition_of(caught) == "ZORDER_WHERE_ALREADY_SET"
    assert "a = 1" in str(caught.value)


def test_bad_arguments(spark: SparkSession, table: ZOrderTable) -> None:
    anything: Any = object()
    with pytest.raises(ZOrderValueError) as empty_where:
        table.optimize().where(" \n")
    with pytest.raises(ZOrderValueError) as empty_path:
        ZOrderTable.forPath(spark, " ")
    with pytest.raises(ZOrderValueError) as unknown_format:
        ZOrderTable.forPath(spark, "/t", format="delta`")
    assert condition_of(empty_where) == condition_of(empty_path) == "ZORDER_EMPTY_ARGUMENT"
    assert condition_of(unknown_format) == "ZORDER_UNKNOWN_FORMAT"
    with pytest.raises(ZOrderValueError, match="forName") as iceberg:
        ZOrderTable.forPath(spark, "/data/t", "iceberg")
    assert condition_of(iceberg) == "ZORDER_ICEBERG_BY_PATH"
    for call in (
        lambda: table.optimize().where(anything),
        lambda: table.optimize().option(anything, "x"),
        lambda: table.optimize().option("x", anything),
        lambda: table.optimize({"x": anything}),
        lambda: ZOrderTable.forPath(spark, anything),
        lambda: ZOrderTable.forName(spark, anything),
    ):
        with pytest.raises(ZOrderTypeError):
            call()


@pytest.mark.usefixtures("jar")
def test_a_session_without_the_extension_is_told_at_once(spark: SparkSession, fake: FakeSpark) -> None:
    fake.functions.clear()
    with pytest.raises(ZOrderSessionError):
        ZOrderTable.forName(spark, "t")
    with pytest.raises(ZOrderSessionError):
        ZOrderTable.forPath(spark, "/t")
