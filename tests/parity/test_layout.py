# SPDX-License-Identifier: Apache-2.0

"""Which files there are afterwards: partitions, sizes, ranges, settings that must not interfere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sides import EVENTS, MAX_FILE_SIZE

if TYPE_CHECKING:
    from sides import Side, Table

MAPPED = {"delta.columnMapping.mode": "name"}
BATCH_SIZE = "spark.databricks.delta.optimize.batchSize"


def partitions(table: Table, kind: str = "add") -> list[dict[str, Any]]:
    """The partition of each file that the newest version adds or removes."""
    return [action["partitionValues"] for action in table.actions(kind)]


def shares(table: Table, columns: list[str]) -> list[float]:
    """For each column, on average over its values from 0 to 63, the share of files whose range holds the value."""
    stats = table.statistics()

    def holds(column: str, value: int) -> float:
        return sum(s["minValues"][column] <= value <= s["maxValues"][column] for s in stats) / len(stats)

    return [sum(holds(column, value) for value in range(64)) / 64 for column in columns]


def test_null_and_empty_strings_are_one_partition_with_one_file(table: Table) -> None:
    table.create("v BIGINT, p STRING", "PARTITIONED BY (p)")
    select = "id AS v, element_at(array('a', 'b', NULL, ''), CAST(id % 4 AS INT) + 1) AS p"
    table.append(select, 0, 8).append(select, 8, 20)
    table.optimize("v")
    assert sorted(str(p["p"]) for p in partitions(table)) == ["None", "a", "b"]
    assert sum(stats["numRecords"] for stats in table.statistics()) == 20


def test_three_levels_of_partitions_with_awkward_values(table: Table) -> None:
    values = ["a/b c=%", "", "ü☃", "a%2Fb", "x:y?#*", " ", "'\\\"", "__HIVE_DEFAULT_PARTITION__x"]
    choices = ", ".join("'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'" for value in values)
    table.create("v BIGINT, `p 1` STRING, ts TIMESTAMP, n INT", "PARTITIONED BY (`p 1`, ts, n)", MAPPED)
    select = f"""id, element_at(array({choices}, NULL), CAST(id % 9 AS INT) + 1),
        if(id % 9 = 7, NULL, TIMESTAMP'2024-02-29 23:59:59.000001'), if(id % 9 = 8, NULL, -1)"""
    table.append(select, 0, 18).append(select, 18, 36)
    expected = {tuple(sorted(p.items(), key=str)) for version in (1, 2) for p in partitions_at(table, version)}

    table.optimize("v")

    found = [tuple(sorted(p.items(), key=str)) for p in partitions(table)]
    assert (set(found), len(found)) == (expected, len(expected))
    table.optimize("v", where="`p 1` = 'a/b c=%' OR `p 1` IS NULL AND n IS NULL")
    assert 0 < len(partitions(table)) < len(expected)


def partitions_at(table: Table, version: int) -> list[dict[str, Any]]:
    return [add["partitionValues"] for add in table.actions("add", version)]


def test_an_instant_written_in_two_ways_is_one_partition(side: Side, table: Table) -> None:
    table.create("v BIGINT, ts TIMESTAMP", "PARTITIONED BY (ts)")
    for utc in ("false", "true"):
        with side.conf({"spark.databricks.delta.write.utcTimestampPartitionValues": utc}):
            table.append("id, TIMESTAMP'2000-01-01 12:00:00'", 0, 4)
    assert len({add["partitionValues"]["ts"] for v in (1, 2) for add in table.actions("add", v)}) == 2
    table.optimize("v")
    assert len(partitions(table)) == 1


def test_partitions_that_are_not_chosen_keep_their_files(table: Table) -> None:
    table.of_events("PARTITIONED BY (day, c)", rows=12)
    chosen = table.actions("add", 1)[0]["partitionValues"]
    others = {file for file in table.files if chosen["day"] not in str(file) or chosen["c"] not in str(file)}
    table.optimize("a", where=f"day = '{chosen['day']}' AND c = '{chosen['c']}'")
    assert partitions(table) == [chosen]
    assert {file for file in table.files if file in others} == others


def test_one_file_becomes_many_with_narrow_ranges_in_every_column(table: Table) -> None:
    grid = "id % 64 AS x, CAST(id / 64 AS BIGINT) AS y, uuid() AS payload"
    table.create("x BIGINT, y BIGINT, payload STRING").append(grid, 0, 4096)
    table.optimize("x, y")
    assert len(table.files) == 1
    assert shares(table, ["x", "y"]) == [1.0, 1.0]

    metrics = table.optimize("x, y", files=16)["metrics"]

    assert 10 <= metrics["numFilesAdded"] == len(table.files) <= 22
    # A square of the grid each would be 0.25. Delta's ranges overlap more.
    assert max(shares(table, ["x", "y"])) < table.side.choose(delta=0.75, ours=0.32)


def test_rows_that_are_all_alike_still_fill_several_files(table: Table) -> None:
    table.create("x INT, y INT, payload STRING").append("20, 20, uuid()", 0, 2000)
    metrics = table.optimize("x, y", files=4)["metrics"]
    assert 3 <= metrics["numFilesAdded"] <= 5


def test_records_per_file(side: Side, table: Table) -> None:
    table.of_events()
    with side.conf({"spark.sql.files.maxRecordsPerFile": "50"}):
        metrics = table.optimize("a, b")["metrics"]
    # Delta splits what it has clustered, which delta#1718 asks to change.
    assert metrics["numFilesAdded"] == side.choose(delta=6, ours=1)


@pytest.mark.parametrize(
    ("where", "size", "commits"), [("", "1", 3), ("WHERE day < '2024-01-03'", "1", 2), ("", "1g", 1)]
)
def test_batches_are_commits_of_their_own(side: Side, table: Table, where: str, size: str, commits: int) -> None:
    table.of_events("PARTITIONED BY (day)", rows=60)
    before, version = table.rows(), table.version
    with side.conf({BATCH_SIZE: size}):
        (result,) = table.sql(f"OPTIMIZE {{t}} {where} ZORDER BY (a)")
    assert table.rows() == before
    assert result["metrics"]["partitionsOptimized"] == (2 if where else 3)
    assert [v["operation"] for v in history(table, version)] == ["OPTIMIZE"] * commits
    assert result["metrics"]["numBatches"] == commits


def history(table: Table, after: int) -> list[dict[str, Any]]:
    return [table.actions("commitInfo", version)[0] for version in range(after + 1, table.version + 1)]


def test_nothing_chosen_is_no_commit(side: Side, table: Table) -> None:
    table.create("id BIGINT, p BIGINT", "PARTITIONED BY (p)")
    table.append("id, id", 0, 2)
    for where, batch in ("p > 7", {}), ("p > 7", {BATCH_SIZE: "1"}), ("p < 0", {}):
        with side.conf(batch):
            (result,) = table.sql(f"OPTIMIZE {{t}} WHERE {where} ZORDER BY (id)")
        assert (result["metrics"]["numFilesAdded"], result["metrics"]["numFilesRemoved"]) == (0, 0)
    assert table.version == 1


def test_optimized_writes_and_auto_compaction_do_not_change_the_layout(side: Side, table: Table) -> None:
    properties = {"delta.autoOptimize.optimizeWrite": "true", "delta.autoOptimize.autoCompact": "true"}
    table.create("id BIGINT, a INT, b DOUBLE, c STRING, day DATE", properties=properties).append(EVENTS, 0, 2000)
    with side.conf({"spark.databricks.delta.autoCompact.minNumFiles": "2"}):
        metrics = table.optimize("a, b", files=8)["metrics"]
    assert 5 <= metrics["numFilesAdded"] == len(table.files) <= 11
    assert table.last["operation"] == "OPTIMIZE"
    assert table.last["operationParameters"]["auto"] is False


def test_the_file_size_of_the_table(side: Side, table: Table) -> None:
    table.create("id BIGINT, a INT, b DOUBLE, c STRING, day DATE").append(EVENTS, 0, 2000)
    size = sum(file.stat().st_size for file in table.files) // 8
    with side.conf({"spark.databricks.delta.allowArbitraryProperties.enabled": "true"}):
        table.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.targetFileSize' = '{size}')")
    before = table.rows()
    with side.conf({MAX_FILE_SIZE: str(2**30)}):
        table.sql("OPTIMIZE {t} ZORDER BY (a, b)")
    # Databricks documents the property; the open Delta does not know it.
    assert len(table.files) in side.choose(delta=[1], ours=range(5, 12))
    assert table.rows() == before
