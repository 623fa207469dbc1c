# SPDX-License-Identifier: Apache-2.0

"""What is refused: the same by both, each with its own words; and nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from sides import EVENTS, Side

if TYPE_CHECKING:
    from sides import Table

MISSING = "TABLE_OR_VIEW_NOT_FOUND"
VIEW = "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"
COLUMN = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
SYNTAX = "PARSE_SYNTAX_ERROR"
UNEXPECTED, MISSPELLED, CLAUSE_ORDER = (
    f"ZORDER_SYNTAX_ERROR.{kind}" for kind in ("UNEXPECTED", "MISSPELLED", "CLAUSE_ORDER")
)

CASES = [
    ("OPTIMIZE refused ZORDER BY (a, none)", "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", COLUMN),
    ("OPTIMIZE refused ZORDER BY (s.none)", "FIELD_NOT_FOUND", "FIELD_NOT_FOUND"),
    ("OPTIMIZE refused ZORDER BY (DAY)", "DELTA_ZORDERING_ON_PARTITION_COLUMN", "ZORDER_PARTITION_COLUMN"),
    ("OPTIMIZE refused ZORDER BY (a, day)", "DELTA_ZORDERING_ON_PARTITION_COLUMN", "ZORDER_PARTITION_COLUMN"),
    (
        "OPTIMIZE refused WHERE a < 4 ZORDER BY (b)",
        "DELTA_NON_PARTITION_COLUMN_REFERENCE",
        "ZORDER_PREDICATE_ON_DATA_COLUMN",
    ),
    (
        "OPTIMIZE refused WHERE day = '2024-01-01' AND a = 1 ZORDER BY (b)",
        "DELTA_NON_PARTITION_COLUMN_REFERENCE",
        "ZORDER_PREDICATE_ON_DATA_COLUMN",
    ),
    ("OPTIMIZE refused WHERE none = 1 ZORDER BY (b)", "DELTA_NON_PARTITION_COLUMN_REFERENCE", COLUMN),
    (
        "OPTIMIZE refused WHERE 1 + 1 ZORDER BY (b)",
        "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
        "ZORDER_PREDICATE_NOT_BOOLEAN",
    ),
    (
        "OPTIMIZE refused WHERE day >= (SELECT max(day) FROM refused) ZORDER BY (b)",
        "DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES",
        "ZORDER_PREDICATE_WITH_SUBQUERY",
    ),
    ("OPTIMIZE no_such_table ZORDER BY (a)", MISSING, MISSING),
    ("OPTIMIZE no_such_db.t ZORDER BY (a)", MISSING, MISSING),
    ("OPTIMIZE delta.`/no/such/table` ZORDER BY (a)", "DELTA_MISSING_DELTA_TABLE", "ZORDER_PATH_NOT_FOUND"),
    ("OPTIMIZE '/no/such/table' ZORDER BY (a)", "DELTA_TABLE_ONLY_OPERATION", "ZORDER_PATH_NOT_FOUND"),
    ("OPTIMIZE refused_orc ZORDER BY (a)", "DELTA_ONLY_OPERATION", "ZORDER_UNSUPPORTED_FORMAT"),
    ("OPTIMIZE refused_view ZORDER BY (a)", VIEW, VIEW),
    ("OPTIMIZE refused_temporary_view ZORDER BY (a)", VIEW, VIEW),
    ("OPTIMIZE refused_liquid ZORDER BY (a)", "DELTA_CLUSTERING_WITH_ZORDER_BY", "ZORDER_LIQUID_CLUSTERED_TABLE"),
    ("OPTIMIZE refused ZORDER BY ()", SYNTAX, "ZORDER_NO_COLUMN"),
    # Whoever carries a statement out, our parser tells the slips.
    ("OPTIMIZE refused ZORDER BY", UNEXPECTED, UNEXPECTED),
    ("OPTIMIZE refused ZORDER (a)", MISSPELLED, MISSPELLED),
    ("OPTIMIZE ZORDER BY (a)", MISSPELLED, MISSPELLED),
    ("OPTIMIZE refused WHERE ZORDER BY (a)", UNEXPECTED, UNEXPECTED),
    ("OPTIMIZE refused ZORDER BY (a) WHERE day = '2024-01-01'", CLAUSE_ORDER, CLAUSE_ORDER),
    ("OPTIMIZE refused VERSION AS OF 1 ZORDER BY (a)", UNEXPECTED, UNEXPECTED),
]

# Delta carries these out; ours refuses what cannot have been meant.
ACCEPTED_BY_DELTA = [
    ("OPTIMIZE refused ZORDER BY (a, A)", "ZORDER_DUPLICATE_COLUMN"),
    ("OPTIMIZE refused WHERE rand() >= 0 ZORDER BY (a)", "ZORDER_PREDICATE_NOT_DETERMINISTIC"),
]


@pytest.fixture(scope="module")
def refused(side: Side) -> Side:
    for statement in (
        "CREATE OR REPLACE TABLE refused (id BIGINT, a INT, b DOUBLE, c STRING, day DATE, s STRUCT<x: INT>) "
        "USING delta PARTITIONED BY (day)",
        f"INSERT INTO refused SELECT {EVENTS}, named_struct('x', 1) FROM range(20)",
        "CREATE OR REPLACE TABLE refused_liquid (a INT, b INT) USING delta CLUSTER BY (a)",
        "INSERT INTO refused_liquid VALUES (1, 2)",
        "CREATE TABLE IF NOT EXISTS refused_orc USING orc AS SELECT 1 AS a",
        "CREATE OR REPLACE VIEW refused_view AS SELECT * FROM refused",
        "CREATE OR REPLACE TEMPORARY VIEW refused_temporary_view AS SELECT * FROM refused",
    ):
        side.sql(statement)
    return side


def versions(side: Side) -> list[int]:
    return [len(side.sql(f"DESCRIBE HISTORY {name}")) for name in ("refused", "refused_liquid")]


@pytest.fixture(scope="module")
def conditions(refused: Side) -> dict[str, str | None]:
    """Each statement's error condition; all of them together change nothing."""
    before = versions(refused)
    found = {}
    for statement, _, _ in CASES:
        with pytest.raises(PySparkException) as error:
            refused.sql(statement)
        found[statement] = error.value.getCondition()
    assert versions(refused) == before
    return found


@pytest.mark.parametrize(("statement", "delta", "ours"), CASES)
def test_both_refuse(side: Side, conditions: dict[str, str], statement: str, delta: str, ours: str) -> None:
    assert conditions[statement] == side.choose(delta, ours)


@pytest.mark.parametrize(("statement", "condition"), ACCEPTED_BY_DELTA)
def test_ours_refuses_what_delta_carries_out(refused: Side, statement: str, condition: str) -> None:
    if refused.is_ours:
        with pytest.raises(PySparkException) as error:
            refused.sql(statement)
        assert error.value.getCondition() == condition
    else:
        assert refused.sql(statement)[0]["metrics"]["numFilesAdded"] == 3


def test_a_column_without_statistics_unless_the_check_is_off(side: Side, table: Table) -> None:
    table.create(
        "id BIGINT, s STRUCT<a: STRUCT<x: BIGINT>, b: BIGINT>", properties={"delta.dataSkippingStatsColumns": "id"}
    )
    table.append("id, named_struct('a', named_struct('x', id), 'b', -id)", 0, 20)
    for columns in ("s.b", "id, s.a.x", "s.a.x, s.b"):
        with pytest.raises(PySparkException) as error:
            table.sql(f"OPTIMIZE {{t}} ZORDER BY ({columns})")
        condition = side.choose("DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS", "ZORDER_COLUMN_WITHOUT_STATISTICS")
        assert error.value.getCondition() == condition
        assert [column for column in columns.split(", ") if column != "id" and column not in str(error.value)] == []
    assert table.version == 1
    with side.conf({"spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled": "false"}):
        table.optimize("s.b, s.a.x")
    assert [list(statistics["minValues"]) for statistics in table.statistics()] == [["id"]]


def test_a_catalog_managed_table_cannot_be_made_here(table: Table) -> None:
    """No catalog that manages tables runs without a server; the refusal of such tables has no test at this level."""
    with pytest.raises(PySparkException) as error:
        table.create("id BIGINT", properties={"delta.feature.catalogManaged": "supported"})
    assert error.value.getCondition() == "DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION"
