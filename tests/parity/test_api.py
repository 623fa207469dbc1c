# SPDX-License-Identifier: Apache-2.0

"""Delta's Python API, `DeltaTable.optimize()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from delta.tables import DeltaTable
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from sides import Table


def api(table: Table) -> DeltaTable:
    return DeltaTable.forName(table.side.session, table.name)


def test_every_partition_becomes_one_file(table: Table) -> None:
    table.create("v INT, x BIGINT, y BIGINT, p BIGINT", "PARTITIONED BY (p)")
    table.append("CAST(id AS INT), id % 7, id % 27, id % 10", 0, 60).append(
        "CAST(id AS INT), id % 7, 1, id % 10", 60, 100
    )
    before, files = table.rows(), len(table.files)

    (result,) = api(table).optimize().executeZOrderBy(["x", "y"]).collect()

    metrics = result["metrics"]
    assert (metrics["numFilesAdded"], metrics["numFilesRemoved"]) == (10, files)
    assert (metrics["totalConsideredFiles"], metrics["totalFilesSkipped"]) == (files, 0)
    assert (metrics["zOrderStats"]["strategyName"], metrics["zOrderStats"]["numOutputCubes"]) == ("all", 10)
    assert table.rows() == before
    assert len(table.files) == 10


def test_by_name_and_by_path_with_columns_in_a_list_or_not(table: Table) -> None:
    table.of_events(rows=30)
    before = table.rows()
    by_path = DeltaTable.forPath(table.side.session, str(table.location))
    for builder, columns in ((api(table).optimize(), ("a", "b")), (by_path.optimize(), (["a", "b"],))):
        assert builder.executeZOrderBy(*columns).columns == [
            "path",
            "metrics",
            *table.side.choose(delta=[], ours=["layout", "summary"]),
        ]
        assert table.last["operationParameters"]["zOrderBy"] == '["a","b"]'
        assert table.rows() == before


def test_a_predicate_chooses_partitions(table: Table) -> None:
    table.of_events("PARTITIONED BY (day)")
    before, others = table.rows(), {file for file in table.files if "2024-01-02" not in str(file)}

    (result,) = api(table).optimize().where("day = '2024-01-02'").executeZOrderBy("a", "b").collect()

    metrics = result["metrics"]
    assert (metrics["numFilesAdded"], metrics["numFilesRemoved"], metrics["partitionsOptimized"]) == (1, 4, 1)
    assert table.last["operationParameters"]["predicate"] == """["('day = 2024-01-02)"]"""
    assert table.rows() == before
    assert others < table.files


def test_several_predicates_all_hold(table: Table) -> None:
    table.of_events("PARTITIONED BY (day, c)", rows=12)
    before = table.rows()

    api(table).optimize().where("day = '2024-01-02'").where("c < 'user-3'").executeZOrderBy("a").collect()

    chosen = {(add["partitionValues"]["day"], add["partitionValues"]["c"] < "user-3") for add in table.actions("add")}
    assert chosen == {("2024-01-02", True)}
    assert table.rows() == before
    # The same meaning: ours is one predicate.
    assert table.last["operationParameters"]["predicate"] == table.side.choose(
        delta="""["('day = 2024-01-02)","('c < user-3)"]""",
        ours="""["(('day = 2024-01-02) AND ('c < user-3))"]""",
    )


@pytest.mark.parametrize(
    ("where", "column", "delta", "ours"),
    [
        ("true", "day", "DELTA_ZORDERING_ON_PARTITION_COLUMN", "ZORDER_PARTITION_COLUMN"),
        ("true", "none", "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("a = 1", "b", "DELTA_NON_PARTITION_COLUMN_REFERENCE", "ZORDER_PREDICATE_ON_DATA_COLUMN"),
        ("none = 1", "b", "DELTA_NON_PARTITION_COLUMN_REFERENCE", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("day = ", "b", "DELTA_FAILED_RECOGNIZE_PREDICATE", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_bad_input_changes_nothing(table: Table, where: str, column: str, delta: str, ours: str) -> None:
    table.of_events("PARTITIONED BY (day)", rows=30)
    version = table.version
    with pytest.raises(PySparkException) as error:
        api(table).optimize().where(where).executeZOrderBy(column)
    assert error.value.getCondition() == table.side.choose(delta, ours)
    assert table.version == version


def test_compaction_and_reorg_stay_deltas_own(table: Table) -> None:
    table.of_events(rows=30)
    before = table.rows()
    assert api(table).optimize().executeCompaction().columns == ["path", "metrics"]
    assert (len(table.files), table.last["operationParameters"]["zOrderBy"]) == (1, "[]")
    assert table.side.session.sql(f"OPTIMIZE {table.name}").columns == ["path", "metrics"]
    assert table.sql("REORG TABLE {t} APPLY (PURGE)")[0]["metrics"]["zOrderStats"] is None
    assert table.rows() == before
