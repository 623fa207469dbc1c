# SPDX-License-Identifier: Apache-2.0

"""The ways of writing the statement: names of tables and columns, predicates, parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sides import Side, Table


def z_ordered_by(table: Table) -> Any:
    assert table.last["operation"] == "OPTIMIZE"
    return table.last["operationParameters"]["zOrderBy"]


def test_a_table_by_name_and_by_path(table: Table) -> None:
    table.of_events(rows=30)
    rows = table.rows()
    spellings = [
        table.name,
        f"spark_catalog.default.{table.name}",
        f"`{table.name.upper()}`",
        f"delta.`{table.location}`",
        f"'{table.location}'",
    ]
    for version, spelling in enumerate(spellings, start=table.version + 1):
        (result,) = table.sql(f"OPTIMIZE {spelling} ZORDER BY (a)")
        assert result["path"] == f"file:{table.location}"
        assert (table.version, z_ordered_by(table)) == (version, '["a"]')
        assert table.rows() == rows


def test_a_table_in_another_database_at_a_location_of_its_own(side: Side, table: Table) -> None:
    table.of_events(rows=30)
    side.sql("CREATE DATABASE IF NOT EXISTS parity_db")
    side.sql(f"CREATE TABLE parity_db.{table.name} USING delta LOCATION '{table.location}'")
    rows, version = table.rows(), table.version

    side.sql(f"OPTIMIZE parity_db.{table.name} ZORDER BY (a)")

    assert (table.version, z_ordered_by(table)) == (version + 1, '["a"]')
    assert table.rows() == rows
    side.sql("DROP DATABASE parity_db CASCADE")


def test_parentheses_are_optional_and_case_does_not_matter(table: Table) -> None:
    table.of_events(rows=30)
    rows = table.rows()
    table.sql("optimize {t} zorder by A, b")
    # Delta repeats the user's spelling, ours is the table's.
    assert z_ordered_by(table) == table.side.choose(delta='["A","b"]', ours='["a","b"]')
    table.sql("OPTIMIZE {t} ZORDER BY (a, b);")
    assert z_ordered_by(table) == '["a","b"]'
    assert table.rows() == rows


def test_case_matters_when_the_session_says_so(side: Side, table: Table) -> None:
    table.of_events(rows=30)
    with side.conf({"spark.sql.caseSensitive": "true"}), pytest.raises(Exception, match=r"\bA\b"):
        table.sql("OPTIMIZE {t} ZORDER BY (A)")
    assert table.last["operation"] != "OPTIMIZE"


def test_nested_columns_and_names_with_dots(table: Table) -> None:
    select = "id, named_struct('x', id % 7, 'in', named_struct('y', id % 5, 'y.z', -id)) AS s, id % 9 AS `flat.a`"
    table.create("id BIGINT, s STRUCT<x: BIGINT, in: STRUCT<y: BIGINT, `y.z`: BIGINT>>, `flat.a` BIGINT")
    table.append(select, 0, 80).append(select, 40, 80)
    for columns in ("s.x, id", "`flat.a`, s.in.`y.z`, S.IN.Y"):
        metrics = table.optimize(columns)["metrics"]
        assert (metrics["numFilesAdded"], metrics["filesAdded"]["totalFiles"]) == (1, len(table.files))


def test_a_predicate_chooses_partitions(table: Table) -> None:
    table.of_events("PARTITIONED BY (day)")
    predicates = {
        "day < DATE'2024-01-03' AND day <> '2024-01-01'": {"2024-01-02"},
        "day = '2024-01-01' OR NOT (day <= '2024-01-02')": {"2024-01-01", "2024-01-03"},
        "DAY IN ('2024-01-03', '2030-01-01') AND month(day) = 1": {"2024-01-03"},
    }
    for predicate, days in predicates.items():
        result = table.optimize("a, b", where=predicate)
        for kind in ("add", "remove"):
            assert {action["partitionValues"]["day"] for action in table.actions(kind)} == days
        assert result["metrics"]["partitionsOptimized"] == len(days)


def test_named_and_positional_parameters(side: Side, table: Table) -> None:
    table.of_events("PARTITIONED BY (day)", rows=30)
    rows = table.rows()
    table.sql("OPTIMIZE {t} WHERE day = :day ZORDER BY (a)", day="2024-01-02")
    assert {add["partitionValues"]["day"] for add in table.actions("add")} == {"2024-01-02"}
    side.session.sql(f"OPTIMIZE {table.name} WHERE day >= ? ZORDER BY (a)", args=["2024-01-02"]).collect()
    assert {add["partitionValues"]["day"] for add in table.actions("add")} == {"2024-01-02", "2024-01-03"}
    assert table.rows() == rows


def test_explain_runs_nothing(table: Table) -> None:
    table.of_events(rows=30)
    files = table.files
    (plan,) = table.sql("EXPLAIN OPTIMIZE {t} ZORDER BY (a)")
    assert table.side.choose(delta="OptimizeTableCommand", ours="OptimizeZOrder") in plan["plan"]
    assert table.files == files
