# SPDX-License-Identifier: Apache-2.0

"""Features about columns: mapping, generated values, constraints, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sides import Side, Table


@pytest.mark.parametrize("mode", ["name", "id"])
def test_columns_that_are_mapped_renamed_and_dropped(table: Table, mode: str) -> None:
    table.create(
        "id BIGINT, `a b,c` INT, gone INT, s STRUCT<`x.y`: BIGINT, z: STRING>, p INT",
        "PARTITIONED BY (p)",
        {"delta.columnMapping.mode": mode},
    )
    select = "id, id % 7, id, named_struct('x.y', -id, 'z', 'z' || id), id % 2"
    table.append(select, 0, 20)
    for change in (
        "RENAME COLUMN `a b,c` TO `new.name`",
        "DROP COLUMN gone",
        "RENAME COLUMN p TO part",
        "RENAME COLUMN s.z TO `z z`",
    ):
        table.sql(f"ALTER TABLE {{t}} {change}")
    table.append("id, id % 7, named_struct('x.y', -id, 'z z', 'z' || id), id % 2", 20, 40)

    table.optimize("`new.name`, s.`x.y`", where="part = 0")
    table.optimize("`new.name`, s.`x.y`", files=4)

    table.sql("UPDATE {t} SET `new.name` = 99 WHERE s.`x.y` = -3")
    table.sql("ALTER TABLE {t} ADD COLUMN gone STRING")
    expected = {f"Row(new.name={99 if i == 3 else i % 7}, z z='z{i}', part={i % 2}, gone=None)" for i in range(40)}
    assert table.rows("`new.name`, s.`z z`, part, gone").keys() == expected


def test_generated_identity_and_default_columns_go_on(table: Table) -> None:
    table.create(
        """k BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), x INT, s STRING DEFAULT 'none',
           x2 INT GENERATED ALWAYS AS (x * 2), p INT GENERATED ALWAYS AS (x % 3)""",
        "PARTITIONED BY (p)",
        {"delta.feature.allowColumnDefaults": "supported"},
    )
    for values in ("1), (2), (3", "4), (5"):
        table.sql(f"INSERT INTO {{t}} (x) VALUES ({values})")
    before = {row["k"] for row in table.sql("SELECT k FROM {t}")}

    table.optimize("x, k")
    table.optimize("x2")

    table.sql("INSERT INTO {t} (x) VALUES (6), (7)")
    rows = table.sql("SELECT * FROM {t} WHERE x > 5")
    assert {(row["x"], row["s"], row["x2"], row["p"]) for row in rows} == {(6, "none", 12, 0), (7, "none", 14, 1)}
    keys = {row["k"] for row in rows}
    assert len(keys) == 2
    assert min(keys) > max(before)
    assert {key % 5 for key in keys} == {0}


def test_constraints_hold_on(table: Table) -> None:
    table.create("id BIGINT NOT NULL, x INT, s STRUCT<y: INT NOT NULL>")
    table.sql("ALTER TABLE {t} ADD CONSTRAINT positive CHECK (x > 0)")
    table.append("id, id + 1, named_struct('y', id)", 0, 10).append("id, id + 1, named_struct('y', id)", 10, 20)
    table.optimize("x, s.y")
    for bad in ("NULL, 1, named_struct('y', 1)", "1, 0, named_struct('y', 1)", "1, 1, named_struct('y', NULL)"):
        # PySpark has no class for what Delta throws here.
        with pytest.raises(Exception, match=r"DELTA_\w*CONSTRAINT\w*|NOT_NULL|NULL"):
            table.sql(f"INSERT INTO {{t}} SELECT {bad}")
    table.append("id, id + 1, named_struct('y', id)", 20, 21)
    assert len(table.rows()) == 21


def test_timestamps_without_time_zone(table: Table) -> None:
    first = "TIMESTAMP_NTZ'1900-01-01 00:00:00.123456'"
    table.create("id BIGINT, ts TIMESTAMP_NTZ, day TIMESTAMP_NTZ", "PARTITIONED BY (day)")
    select = f"id, {first} + make_interval(0, 0, 0, id * 99), TIMESTAMP_NTZ'2024-01-01 00:00:00' "
    table.append(select, 0, 20).append(select, 20, 40)
    table.optimize("ts, id")
    assert len(table.rows(where=f"ts = {first}")) == 1


def test_payloads_of_every_nested_type(table: Table) -> None:
    table.create(
        "id BIGINT, v VARIANT, s STRUCT<a: INT, b: ARRAY<STRUCT<c: STRING>>>, m MAP<STRING, ARRAY<INT>>, bin BINARY",
        properties={"delta.enableVariantShredding": "true"},
    )
    select = """id, if(id % 5 = 0, NULL, parse_json('{"a": ' || id || ', "b": ["x", ' || id / 4 || ', null]}')),
        named_struct('a', id, 'b', array(named_struct('c', 'é' || id), NULL)), map('k' || id, array(1, NULL)),
        CAST('b' || id AS BINARY)"""
    table.append(select, 0, 30).append(select, 30, 60)
    plain = "id, to_json(v), v IS NULL, s, m, bin, typeof(v)"
    table.optimize("id", select=plain, files=2)
    table.optimize("s.a", select=plain)
    table.append(select, 60, 61)
    assert len(table.rows("id", where="variant_get(v, '$.b[1]', 'double') = id / 4")) == 48


def test_columns_whose_type_was_widened(table: Table) -> None:
    table.create("id BIGINT, i TINYINT, d DECIMAL(5, 2), f FLOAT", properties={"delta.enableTypeWidening": "true"})
    select = "id, pmod(id, 100), id % 7 / 4, id / 8"
    table.append(select, 0, 30)
    table.sql("ALTER TABLE {t} ALTER COLUMN i TYPE INT")
    table.append("id, id * 1000, id % 7 / 4, id / 8", 30, 60)
    for change in ("i TYPE BIGINT", "d TYPE DECIMAL(20, 5)", "f TYPE DOUBLE"):
        table.sql(f"ALTER TABLE {{t}} ALTER COLUMN {change}")
    table.append("id, id * 1000000000000, 123456789.12345, id / 3", 60, 90)

    table.optimize("i, d, f", files=3)
    table.optimize("i")

    (statistics,) = table.statistics()
    assert (statistics["minValues"]["i"], statistics["maxValues"]["i"]) == (0, 89_000_000_000_000)
    assert statistics["maxValues"]["d"] == 123456789.12345
    assert table.rows("i, typeof(i), d", where="i > 88000000000000") == {
        "Row(i=89000000000000, typeof(i)='bigint', d=Decimal('123456789.12345'))": 1
    }


def test_collated_strings(side: Side, table: Table) -> None:
    with side.conf({"spark.databricks.delta.schema.typeCheck.enabled": "false"}):
        table.create("id BIGINT, k STRING COLLATE UTF8_LCASE")
        select = "id, if(id % 2 = 0, 'Key', 'kEY') || id % 5"
        table.append(select, 0, 20).append(select, 20, 40)
        # A collated column has no statistics that readers skip by.
        with side.conf({"spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled": "false"}):
            table.optimize("k, id", files=3)
        assert sum(table.rows("id", where="k = 'KEY1'").values()) == 8


@pytest.mark.parametrize(
    "properties",
    [
        {"delta.enableIcebergCompatV1": "true", "delta.columnMapping.mode": "name"},
        {"delta.enableIcebergCompatV2": "true", "delta.columnMapping.mode": "name"},
        {
            "delta.enableIcebergCompatV3": "true",
            "delta.columnMapping.mode": "name",
            "delta.enableRowTracking": "true",
        },
        {"delta.feature.materializePartitionColumns": "supported"},
        {
            "delta.feature.domainMetadata": "supported",
            "delta.feature.vacuumProtocolCheck": "supported",
            "delta.feature.checkpointProtection": "supported",
            "delta.feature.coordinatedCommits-preview": "supported",
        },
    ],
    ids=["iceberg1", "iceberg2", "iceberg3", "materialized partition columns", "features without data"],
)
def test_features_for_other_readers(table: Table, properties: dict[str, str]) -> None:
    table.of_events("PARTITIONED BY (day)", properties, rows=30)
    table.optimize("a, b")
    table.append("id, 1, 2, 'x', DATE'2024-01-01'", 30, 31)
    assert len(table.rows()) == 31
