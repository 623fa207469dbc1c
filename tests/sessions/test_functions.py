# SPDX-License-Identifier: Apache-2.0

"""interleave_bits and range_partition_id in SQL and from Python, interpreted and in generated code."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from vectors import INTERLEAVED, RANGES

from spark_zorder.functions import hilbert_index, interleave_bits, range_partition_id, zorder_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SEED = 7


@pytest.fixture(params=["generated", "interpreted"])
def evaluated(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[str]:
    """Both ways in which Spark evaluates an expression."""
    generated = request.param == "generated"
    conf = {
        "spark.sql.codegen.wholeStage": str(generated).lower(),
        "spark.sql.codegen.factoryMode": "CODEGEN_ONLY" if generated else "NO_CODEGEN",
        # Constant folding would evaluate calls over literals before generated code runs.
        "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConstantFolding,"
        "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
    }
    for key, value in conf.items():
        spark.conf.set(key, value)
    yield request.param
    for key in conf:
        spark.conf.unset(key)


def sql_ints(values: list[int | None]) -> str:
    return ", ".join("CAST(NULL AS INT)" if v is None else f"INT({v})" for v in values)


@pytest.mark.parametrize(("values", "expected"), INTERLEAVED)
def test_interleave_bits_in_sql(spark: SparkSession, evaluated: str, values: list[int | None], expected: str) -> None:
    (row,) = spark.sql(f"SELECT interleave_bits({sql_ints(values)}) AS key").collect()

    assert bytes(row["key"]).hex().upper() == expected


@pytest.mark.parametrize(("values", "expected"), INTERLEAVED)
def test_interleave_bits_in_python(
    spark: SparkSession, evaluated: str, values: list[int | None], expected: str
) -> None:
    names = [f"c{i}" for i in range(len(values))]
    schema = ", ".join(["row INT", *(f"{name} INT" for name in names)])
    frame = spark.createDataFrame([(1, *values)], schema)

    (row,) = frame.select(interleave_bits(*(F.col(name) for name in names)).alias("key")).collect()

    assert bytes(row["key"]).hex().upper() == expected


@pytest.mark.parametrize(("values", "n", "expected"), RANGES)
def test_range_partition_id_in_sql(
    spark: SparkSession, evaluated: str, values: list[int | str], n: int, expected: list[int]
) -> None:
    shuffled = random.Random(SEED).sample(values, len(values))
    rows = ", ".join(f"({value!r})" for value in shuffled)

    found = spark.sql(f"SELECT v, range_partition_id(v, {n}) AS id FROM VALUES {rows} AS t(v)").collect()

    assert {row["v"]: row["id"] for row in found} == dict(zip(values, expected, strict=True))
    assert [row["v"] for row in found] == shuffled


@pytest.mark.parametrize(("values", "n", "expected"), RANGES)
def test_range_partition_id_in_python(
    spark: SparkSession, evaluated: str, values: list[int | str], n: int, expected: list[int]
) -> None:
    shuffled = random.Random(SEED).sample(values, len(values))
    frame = spark.createDataFrame([(value,) for value in shuffled], "v STRING" if "a" in values else "v INT")

    found = frame.select("v", range_partition_id("v", n).alias("id")).collect()

    assert {row["v"]: row["id"] for row in found} == dict(zip(values, expected, strict=True))


def test_null_is_in_the_first_range(spark: SparkSession, evaluated: str) -> None:
    found = spark.sql(
        "SELECT v, range_partition_id(v, 2) AS id FROM VALUES (NULL), (1), (2), (3) AS t(v) ORDER BY v"
    ).collect()

    assert [row["id"] for row in found] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT id FROM range(20) WHERE range_partition_id(id, 4) = 1", [[5], [6], [7], [8], [9]]),
        ("SELECT DISTINCT range_partition_id(id, 4) FROM range(20)", [[0], [1], [2], [3]]),
        (
            "SELECT range_partition_id(id, 4) AS r, count(*) FROM range(20) GROUP BY range_partition_id(id, 4)",
            [[0, 5], [1, 5], [2, 5], [3, 5]],
        ),
        ("SELECT id FROM range(4) SORT BY range_partition_id(-id, 4)", [[0], [1], [2], [3]]),
        ("SELECT id FROM range(4) WHERE hex(interleave_bits(INT(id), 0)) = '0000000000000002'", [[1]]),
        ("SELECT DISTINCT hex(interleave_bits(INT(id % 2))) FROM range(9)", [["00000000"], ["00000001"]]),
        (
            "SELECT count(*) AS n, interleave_bits(INT(id % 2)) AS k FROM range(9) GROUP BY k",
            [[4, bytearray(b"\0\0\0\1")], [5, bytearray(b"\0\0\0\0")]],
        ),
        ("SELECT id FROM range(4) SORT BY interleave_bits(INT(-id))", [[0], [1], [2], [3]]),
    ],
)
def test_every_place_of_a_query(spark: SparkSession, evaluated: str, query: str, expected: list[list[object]]) -> None:
    found = [list(row) for row in spark.sql(query).collect()]

    assert sorted(found, key=lambda row: str(row[0])) == expected


def test_sort_by_keeps_to_z_order(spark: SparkSession, evaluated: str) -> None:
    """The 4 x 4 grid, first column most significant."""
    order = ["00", "01", "10", "11", "02", "03", "12", "13", "20", "21", "30", "31", "22", "23", "32", "33"]
    grid = "SELECT /*+ COALESCE(1) */ INT(id DIV 4) AS a, INT(id % 4) AS b FROM range(16)"

    found = spark.sql(f"SELECT a, b FROM ({grid}) SORT BY interleave_bits(a, b)").collect()

    assert [f"{row['a']}{row['b']}" for row in found] == order


def test_z_order_of_ranges(spark: SparkSession, evaluated: str) -> None:
    """Both together: what a user writes to order any columns along the curve."""
    grid = "SELECT /*+ COALESCE(1) */ 1.5 * (id DIV 2) AS a, chr(97 + id % 2) AS b FROM range(4)"
    key = "interleave_bits(range_partition_id(a, 2), range_partition_id(b, 2))"

    found = spark.sql(f"SELECT a, b FROM ({grid}) SORT BY {key} DESC").collect()

    assert [(float(row["a"]), row["b"]) for row in found] == [(1.5, "b"), (1.5, "a"), (0.0, "b"), (0.0, "a")]


def test_hilbert_index_in_sql_and_python(spark: SparkSession) -> None:
    grid = spark.sql("SELECT CAST(x.id AS INT) AS x, CAST(y.id AS INT) AS y FROM range(4) x CROSS JOIN range(4) y")
    points = [tuple(row) for row in grid.orderBy(hilbert_index(2, "x", "y")).collect()]
    assert len(set(points)) == 16
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in itertools.pairwise(points))
    assert spark.sql("SELECT hilbert_index(2, 3, 0)").collect()[0][0] == 15


@pytest.mark.statement
def test_zorder_key_in_sql_and_python(spark: SparkSession) -> None:
    rows = "VALUES (1, 7L, 'b'), (2, 4L, 'a'), (0, 1L, NULL), (1, 0L, ''), (NULL, 9L, 'z') AS t(x, y, s)"
    found = spark.sql(f"SELECT x, y FROM {rows} ORDER BY zorder_key(x, y)").collect()
    assert [tuple(row) for row in found] == [(None, 9), (0, 1), (1, 0), (1, 7), (2, 4)]
    frame = spark.sql(f"SELECT * FROM {rows}").orderBy(zorder_key("s"))
    assert [row.s for row in frame.collect()] == [None, "", "a", "b", "z"]


@pytest.mark.statement
@pytest.mark.parametrize("function", ["hilbert_index", "interleave_bits", "range_partition_id", "zorder_key"])
def test_examples_of_describe_function_are_true(spark: SparkSession, function: str) -> None:
    text = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {function}").collect())
    assert f"Usage: {function}(" in text

    example = text.split("> ")[1:]
    assert len(example) >= 2
    for part in example:
        query, rest = part.split(";\n", 1)
        lines = itertools.takewhile(bool, (line.strip() for line in rest.splitlines()))
        expected = [line.split("\t") for line in lines]
        found = [[str(value) for value in row] for row in spark.sql(query).collect()]
        assert found == expected, query


@pytest.mark.parametrize(
    ("call", "condition", "named"),
    [
        ("interleave_bits(1, 'a')", "ZORDER_INVALID_ARGUMENT_TYPE", ["STRING"]),
        ("zorder_key()", "ZORDER_NO_KEY_COLUMN", ["zorder_key()"]),
        ("zorder_key(1, array(1))", "ZORDER_INVALID_ARGUMENT_TYPE", ["ARRAY<INT>"]),
        ("interleave_bits(1L)", "ZORDER_INVALID_ARGUMENT_TYPE", ["BIGINT"]),
        ("range_partition_id(id, 0)", "ZORDER_NON_POSITIVE_RANGE_COUNT", ["range_partition_id", "0"]),
        ("range_partition_id(id, -1)", "ZORDER_NON_POSITIVE_RANGE_COUNT", ["-1"]),
        ("range_partition_id(map(1, id), 4)", "ZORDER_INVALID_ARGUMENT_TYPE", ["MAP<INT, BIGINT>"]),
    ],
)
def test_bad_arguments(spark: SparkSession, call: str, condition: str, named: list[str]) -> None:
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"SELECT {call} FROM range(3)").collect()

    assert error.value.getCondition() == condition
    assert error.value.getSqlState() in ("42K09", "22023", "42605")
    assert all(name in str(error.value) for name in named)
