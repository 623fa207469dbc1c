# SPDX-License-Identifier: Apache-2.0

"""Tables with an order, by SQL and through the Python package, on classic and Connect sessions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException, ParseException

from spark_zorder import ZOrderTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, Row, SparkSession

FORMATS = ["parquet", "delta"]
SIDE = 32
COLUMNS = "x INT, y INT, id BIGINT, even BOOLEAN"
# Every point of the grid once, in an order that is neither of both.
GRID = f"""
SELECT CAST(id * 389 % {SIDE * SIDE} DIV {SIDE} AS INT) AS x, CAST(id * 389 % {SIDE} AS INT) AS y, id,
  id * 389 % 2 = 0 AS even
FROM range(0, {SIDE * SIDE}, 1, 1)
"""


@pytest.fixture
def name(spark: SparkSession) -> Iterator[str]:
    spark.sql("DROP TABLE IF EXISTS ordered")
    yield "ordered"
    spark.sql("DROP TABLE IF EXISTS ordered")


def properties(spark: SparkSession, name: str) -> dict[str, str]:
    rows = spark.sql(f"SHOW TBLPROPERTIES {name}").collect()
    return {row["key"]: row["value"] for row in rows if row["key"].startswith("sort.")}


def rows_of(table: DataFrame) -> Counter[Row]:
    return Counter(table.collect())


def written(spark: SparkSession, name: str, statement: str) -> list[list[tuple[int, int]]]:
    """Runs a write; the points of each file that it adds, as they lie there."""
    before = spark.table(name).inputFiles()
    spark.sql(statement).collect()
    added = set(spark.table(name).inputFiles()) - set(before)
    # The file alone: pyarrow would take the folder's name for a column of its own.
    files = [pq.ParquetFile(unquote(urlparse(file).path)).read(["x", "y"]) for file in sorted(added)]
    assert files
    return [list(zip(file["x"].to_pylist(), file["y"].to_pylist(), strict=True)) for file in files]


def curve_position(point: tuple[int, int]) -> int:
    """Bit by bit, the first column's first. On a whole grid ranks lie as the values do."""
    bits = (f"{value:06b}" for value in point)
    return int("".join("".join(pair) for pair in zip(*bits, strict=True)), base=2)


def is_sorted(values: list[int]) -> bool:
    return all(a <= b for a, b in pairwise(values))


@pytest.mark.statement
@pytest.mark.parametrize("table_format", FORMATS)
def test_every_write_obeys_the_order_of_the_table(spark: SparkSession, name: str, table_format: str) -> None:
    insert = f"INSERT INTO {name} {GRID}"
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING {table_format} PARTITIONED BY (even) SORT BY ZORDER (X, y)")
    assert properties(spark, name) == {"sort.columns": "x,y", "sort.order": "ZORDER"}
    shown = {row["col_name"]: row["data_type"] for row in spark.sql(f"DESCRIBE EXTENDED {name}").collect()}
    assert [p for p in ("sort.columns=x,y", "sort.order=ZORDER") if p not in shown["Table Properties"]] == []
    assert "SORT BY ZORDER (x, y) of " in spark.sql(f"EXPLAIN {insert}").collect()[0][0]

    for points in written(spark, name, f"{insert} ORDER BY id"):
        assert is_sorted([curve_position(p) for p in points])
        assert not is_sorted([x for x, _ in points])

    spark.sql(f"ALTER TABLE {name} SORT BY (y, x)")
    for points in written(spark, name, insert):
        assert is_sorted([y * SIDE + x for x, y in points])
    spark.sql(f"ALTER TABLE {name} SORT BY ()")
    assert properties(spark, name) == {}
    for points in written(spark, name, insert):
        assert not is_sorted([y for _, y in points])
    assert rows_of(spark.table(name)) == rows_of(spark.sql(f"{GRID} UNION ALL {GRID} UNION ALL {GRID}"))


@pytest.mark.statement
@pytest.mark.parametrize("table_format", FORMATS)
def test_optimize_takes_the_order_of_the_table(spark: SparkSession, name: str, table_format: str) -> None:
    spark.sql(f"CREATE TABLE {name} USING {table_format} AS {GRID}")
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"OPTIMIZE {name} ZORDER").collect()
    assert error.value.getCondition() == "ZORDER_NO_TABLE_ORDER"
    spark.sql(f"ALTER TABLE {name} SORT BY ZORDER (x, y)")

    (points,) = written(spark, name, f"OPTIMIZE {name} ZORDER OPTIONS (force = true)")

    assert is_sorted([curve_position(p) for p in points])
    (row,) = spark.sql(f"OPTIMIZE {name} ZORDER OPTIONS (mode = 'incremental')").collect()
    assert "every file is clustered by (x, y)" in row["summary"]
    assert rows_of(spark.table(name)) == rows_of(spark.sql(GRID))


@pytest.mark.statement
def test_show_create_table_makes_the_same_table(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING parquet SORT BY ZORDER (x, y)")
    (printed,) = spark.sql(f"SHOW CREATE TABLE {name}").collect()
    spark.sql(f"DROP TABLE {name}")

    spark.sql(printed[0])

    assert spark.sql(f"SHOW CREATE TABLE {name}").collect() == [printed]
    (points,) = written(spark, name, f"INSERT INTO {name} {GRID}")
    assert is_sorted([curve_position(p) for p in points])


@pytest.mark.statement
@pytest.mark.parametrize("table_format", FORMATS)
def test_sort_by_from_python(spark: SparkSession, name: str, table_format: str) -> None:
    spark.sql(f"CREATE TABLE {name} (`the-x` INT, x INT, y INT) USING {table_format}")
    table = ZOrderTable.forName(spark, name)

    table.sortBy("`the-x`", "Y")
    assert properties(spark, name) == {"sort.columns": "`the-x`,y", "sort.order": "ZORDER"}
    table.sortBy("x", "`the-x`", order="lexical", scope="global", key="raw")
    order = {"sort.columns": "x,`the-x`", "sort.order": "LEXICAL", "sort.scope": "global", "sort.key": "raw"}
    assert properties(spark, name) == order
    table.sortBy("x", "y")
    assert properties(spark, name) == order | {"sort.columns": "x,y", "sort.order": "ZORDER"}
    for wrong, condition in [(("x",), "ZORDER_SORT_SINGLE_COLUMN"), (("x", "z"), "ZORDER_SORT_UNKNOWN_COLUMN")]:
        with pytest.raises(AnalysisException) as error:
            table.sortBy(*wrong, scope="local")
        assert error.value.getCondition() == condition
    assert properties(spark, name)["sort.scope"] == "global"
    table.sortBy()
    assert properties(spark, name) == {}


@pytest.mark.statement
@pytest.mark.parametrize("key", ["ranks", "raw"])
def test_a_global_order_divides_the_curve(spark: SparkSession, name: str, key: str) -> None:
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING parquet")
    ZOrderTable.forName(spark, name).sortBy("x", "y", scope="global", key=key)
    spark.conf.set("spark.sql.zorder.targetFileSize", "2k")
    try:
        files = written(spark, name, f"INSERT INTO {name} SELECT /*+ REPARTITION(3) */ * FROM ({GRID})")
    finally:
        spark.conf.unset("spark.sql.zorder.targetFileSize")

    positions = [[curve_position(p) for p in points] for points in files]
    assert len(positions) >= 4
    assert all(is_sorted(p) for p in positions)
    assert sorted(p for file in sorted(positions) for p in file) == [p for file in sorted(positions) for p in file]
    assert rows_of(spark.table(name)) == rows_of(spark.sql(GRID))


@pytest.mark.statement
def test_a_delta_table_by_its_path(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "it's a `t`")
    spark.sql(GRID).limit(0).write.format("delta").save(path)
    table = ZOrderTable.forPath(spark, path)

    table.sortBy("x", "y")
    spark.sql(GRID).write.format("delta").mode("append").save(path)

    (file,) = table.toDF().inputFiles()
    points = pq.ParquetFile(unquote(urlparse(file).path)).read(["x", "y"])
    assert is_sorted([curve_position(p) for p in zip(*(points[c].to_pylist() for c in "xy"), strict=True)])


def test_a_column_that_is_gone(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} USING delta SORT BY ZORDER (x, y) AS {GRID}")
    rows = spark.sql(GRID).drop("y")

    def overwrite() -> None:
        rows.write.format("delta").mode("overwrite").option("overwriteSchema", "true").saveAsTable(name)

    with pytest.raises(AnalysisException) as error:
        overwrite()

    assert error.value.getCondition() == "ZORDER_SORT_COLUMN_GONE"
    assert spark.table(name).columns == ["x", "y", "id", "even"]
    spark.conf.set("spark.sql.zorder.write.onInvalid", "warn")
    try:
        overwrite()
    finally:
        spark.conf.unset("spark.sql.zorder.write.onInvalid")
    assert rows_of(spark.table(name)) == rows_of(rows)


REFUSED = [
    ("CREATE TABLE t (x INT) USING parquet SORT BY (z)", "ZORDER_SORT_UNKNOWN_COLUMN", "42703", ["z", "x"]),
    ("CREATE TABLE t (x INT) USING delta SORT BY (x, X)", "ZORDER_SORT_DUPLICATE_COLUMN", "42711", ["x"]),
    ("CREATE TABLE t (x INT) USING delta SORT BY ZORDER (x)", "ZORDER_SORT_SINGLE_COLUMN", "42601", ["SORT BY (x)"]),
    (
        "CREATE TABLE t (x INT, p INT) USING parquet PARTITIONED BY (p) SORT BY (p)",
        "ZORDER_SORT_PARTITION_COLUMN",
        "42P10",
        ["p", "x"],
    ),
    ("CREATE TABLE t (m MAP<INT, INT>) USING delta SORT BY (m)", "ZORDER_SORT_UNORDERABLE_COLUMN", "42K09", ["MAP"]),
    (
        "CREATE TABLE t (x INT, y INT) USING parquet CLUSTERED BY (x) SORTED BY (y) INTO 2 BUCKETS SORT BY (y)",
        "ZORDER_SORT_AND_BUCKETS",
        "42613",
        ["CLUSTERED BY"],
    ),
    ("CREATE TABLE t (x INT) USING delta CLUSTER BY (x) SORT BY (x)", "ZORDER_SORT_AND_CLUSTERING", "42613", ["t"]),
    ("CREATE TABLE t (x INT) USING csv SORT BY (x)", "ZORDER_SORT_UNSUPPORTED_FORMAT", "0A000", ["csv"]),
    ("ALTER TABLE parquet.`/x` SORT BY (x)", "ZORDER_FOLDER_WITHOUT_ORDER", "0A000", ["LOCATION '/x'"]),
    (
        "CREATE TABLE t (x INT) USING delta SORT BY (x) TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true')",
        "ZORDER_SORT_AND_OPTIMIZED_WRITES",
        "42613",
        ["delta.autoOptimize.optimizeWrite"],
    ),
    (
        "CREATE TABLE t (x INT) USING parquet TBLPROPERTIES ('sort.columns' = 'x', 'sort.scope' = 'wide')",
        "ZORDER_INVALID_TABLE_PROPERTY",
        "22023",
        ["wide", "local", "global"],
    ),
]
NOT_PARSED = [
    ("CREATE TABLE t (x INT) USING parquet SORT BY ()", "ZORDER_SORT_WITHOUT_COLUMN", "42601", ["SORT BY (a)"]),
    (
        "CREATE TABLE t (x INT) USING parquet SORT BY (x) TBLPROPERTIES ('sort.order' = 'ZORDER')",
        "ZORDER_SORT_AND_PROPERTY",
        "42613",
        ["sort.order"],
    ),
    ("CREATE TABLE t (x INT) USING parquet SORT BY (x) SORT BY (x)", "DUPLICATE_CLAUSES", "42614", ["SORT BY"]),
    ("ALTER TABLE t SORT BY SIDEWAYS (x)", "ZORDER_SYNTAX_ERROR.MISSPELLED", "42601", ["SIDEWAYS"]),
]


@pytest.mark.statement
def test_condition_state_and_text(spark: SparkSession) -> None:
    for cases, kind in [(REFUSED, AnalysisException), (NOT_PARSED, ParseException)]:
        for statement, condition, state, named in cases:
            with pytest.raises(kind) as error:
                spark.sql(statement)
            assert (error.value.getCondition(), error.value.getSqlState()) == (condition, state), statement
            assert [text for text in named if text not in str(error.value)] == []
    assert not spark.catalog.tableExists("t")
