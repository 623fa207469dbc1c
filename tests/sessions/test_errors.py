# SPDX-License-Identifier: Apache-2.0

"""Bad input: PySpark's own exceptions with condition and SQLSTATE, and nothing written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from points import create_points
from pyspark.errors import AnalysisException, ParseException, PySparkException

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CASES = [
    ("OPTIMIZE bad ZORDER BY (xx)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", ["`xx`", "`x`"]),
    ("OPTIMIZE bad ZORDER BY (even)", "ZORDER_PARTITION_COLUMN", "42P10", ["even", "x, y, id, name"]),
    ("OPTIMIZE bad ZORDER BY (x, X)", "ZORDER_DUPLICATE_COLUMN", "42711", ["x"]),
    ("OPTIMIZE bad ZORDER BY ()", "ZORDER_NO_COLUMN", "42601", ["bad", "16"]),
    ("OPTIMIZE shapes ZORDER BY (m)", "ZORDER_UNORDERABLE_COLUMN", "42K09", ["m", "MAP<STRING, INT>"]),
    ("OPTIMIZE shapes ZORDER BY (v)", "ZORDER_UNORDERABLE_COLUMN", "42K09", ["v", "VARIANT"]),
    ("OPTIMIZE shapes ZORDER BY (a)", "ZORDER_COLUMN_WITHOUT_STATISTICS", "42P10", ["a", "checkStatsCollection"]),
    ("OPTIMIZE bad WHERE x > 1 ZORDER BY (y)", "ZORDER_PREDICATE_ON_DATA_COLUMN", "42P10", ["x", "even"]),
    (
        "OPTIMIZE bad WHERE even = (SELECT true) ZORDER BY (x)",
        "ZORDER_PREDICATE_WITH_SUBQUERY",
        "0A000",
        ["constants"],
    ),
    ("OPTIMIZE missing ZORDER BY (x)", "TABLE_OR_VIEW_NOT_FOUND", "42P01", ["`missing`"]),
    ("OPTIMIZE delta.`/no/such/table` ZORDER BY (x)", "ZORDER_PATH_NOT_FOUND", "42K03", ["/no/such/table"]),
    ("OPTIMIZE view_of_bad ZORDER BY (x)", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809", ["view_of_bad"]),
    ("OPTIMIZE plain ZORDER BY (x)", "ZORDER_UNSUPPORTED_FORMAT", "0A000", ["json", "Delta and Parquet tables"]),
    ("OPTIMIZE liquid ZORDER BY (x)", "ZORDER_LIQUID_CLUSTERED_TABLE", "42613", ["liquid", "OPTIMIZE"]),
    ("OPTIMIZE bad ZORDER BY (x) OPTIONS (color = 'red')", "ZORDER_UNKNOWN_OPTION", "42616", ["color"]),
    (
        "OPTIMIZE bad ZORDER BY (x) OPTIONS (target_file_size = 'big')",
        "ZORDER_INVALID_OPTION",
        "22023",
        ["target_file_size", "big", "256m"],
    ),
    ("OPTIMIZE bad ZORDER BY (x) OPTIONS (mode = 'fast')", "ZORDER_INVALID_OPTION", "22023", ["mode", "incremental"]),
    ("OPTIMIZE bad ZORDER BY (x) OPTIONS (where_files = 'x')", "ZORDER_INVALID_OPTION", "22023", ["overlapping"]),
    ("DESCRIBE LAYOUT bad ON (xx)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", ["`xx`"]),
    ("DESCRIBE LAYOUT plain ON (x)", "ZORDER_UNSUPPORTED_FORMAT", "0A000", ["json"]),
]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> None:
    create_points(spark, "bad", partitioned_by="even")
    for name in ("shapes", "plain", "liquid"):
        spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(
        "CREATE TABLE shapes (x INT, a INT, m MAP<STRING, INT>, v VARIANT) USING delta "
        "TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'x')"
    )
    spark.sql("INSERT INTO shapes VALUES (1, 1, map('a', 1), parse_json('1'))")
    spark.sql("CREATE TABLE plain USING json AS SELECT 1 AS x")
    spark.sql("CREATE TABLE liquid (x INT) USING delta CLUSTER BY (x)")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW view_of_bad AS SELECT * FROM bad")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("statement", "condition", "state", "named"), CASES)
def test_condition_state_and_text(
    spark: SparkSession, statement: str, condition: str, state: str, named: list[str]
) -> None:
    with pytest.raises(AnalysisException) as error:
        spark.sql(statement).collect()

    assert error.value.getCondition() == condition
    assert error.value.getSqlState() == state
    assert [name for name in named if name not in str(error.value)] == []


@pytest.mark.usefixtures("tables")
def test_nothing_is_written(spark: SparkSession) -> None:
    def versions() -> list[int]:
        return [len(spark.sql(f"DESCRIBE HISTORY {name}").collect()) for name in ("bad", "shapes", "liquid")]

    before = versions()
    for statement, *_ in CASES:
        with pytest.raises(PySparkException):
            spark.sql(statement).collect()

    assert versions() == before


def test_a_slip_in_our_statement_is_a_syntax_error(spark: SparkSession) -> None:
    with pytest.raises(ParseException) as error:
        spark.sql("OPTIMIZE bad ZORDER (x)").collect()

    assert error.value.getCondition() == "ZORDER_SYNTAX_ERROR.MISSPELLED"
    assert error.value.getSqlState() == "42601"
    assert "Did you mean ZORDER BY?" in str(error.value)
    assert "(line 1, pos 13)" in str(error.value)


def test_a_folder_without_a_table(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"OPTIMIZE '{tmp_path}' ZORDER BY (x)").collect()

    assert error.value.getCondition() == "ZORDER_PATH_NOT_FOUND"
    assert list(tmp_path.iterdir()) == []
