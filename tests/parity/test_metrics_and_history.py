# SPDX-License-Identifier: Apache-2.0

"""The row that comes back, the entry in the history, and the actions of the commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sides import Side, Table


def summary(sizes: list[int]) -> dict[str, Any]:
    """Delta's FileSizeMetrics."""
    total = sum(sizes)
    bounds = {"min": min(sizes, default=None), "max": max(sizes, default=None)}
    return {**bounds, "avg": total / len(sizes) if sizes else 0.0, "totalFiles": len(sizes), "totalSize": total}


def sizes(table: Table, kind: str) -> list[int]:
    return sorted(action["size"] for action in table.actions(kind))


def test_metrics_agree_with_the_log(table: Table) -> None:
    table.of_events("PARTITIONED BY (day)")
    found = table.optimize("a, b", files=9)["metrics"].asDict(recursive=True)
    added, removed = sizes(table, "add"), sizes(table, "remove")
    files = {"num": len(removed), "size": sum(removed)}
    none = {"num": 0, "size": 0}
    start, end = found.pop("startTimeMs"), found.pop("endTimeMs")
    with_statistics = found.pop("numTableColumnsWithStats")
    assert found == {
        "numFilesAdded": len(added),
        "numFilesRemoved": 12,
        "filesAdded": summary(added),
        "filesRemoved": summary(removed),
        "partitionsOptimized": 3,
        "zOrderStats": {
            "strategyName": "all",
            "inputCubeFiles": none,
            "inputOtherFiles": files,
            "inputNumCubes": 0,
            "mergedFiles": files,
            "numOutputCubes": 3,
            "mergedNumCubes": None,
        },
        "clusteringStats": None,
        "numBins": 3,
        "numBatches": 1,
        "totalConsideredFiles": 12,
        "totalFilesSkipped": 0,
        "preserveInsertionOrder": False,
        "numFilesSkippedToReduceWriteAmplification": 0,
        "numBytesSkippedToReduceWriteAmplification": 0,
        "totalClusterParallelism": 2,
        "totalScheduledTasks": 0,
        "autoCompactParallelismStats": None,
        "deletionVectorStats": None,
        "numTableColumns": 5,
    }
    # Delta leaves the end at zero, and takes the table's limit of columns for the number of those that have statistics.
    assert start > 0
    assert (end >= start) == table.side.choose(delta=False, ours=True)
    assert with_statistics == table.side.choose(delta=5, ours=4)


def test_the_schema_of_the_result_is_deltas(side: Side, table: Table) -> None:
    table.of_events(rows=30)
    compacted = side.session.sql(f"OPTIMIZE {table.name}").schema
    z_ordered = side.session.sql(f"OPTIMIZE {table.name} ZORDER BY (a)").schema
    assert z_ordered["path"].dataType == compacted["path"].dataType
    assert z_ordered["metrics"].dataType == compacted["metrics"].dataType
    assert z_ordered.names == ["path", "metrics", *side.choose(delta=[], ours=["layout", "summary"])]


def test_the_history(table: Table) -> None:
    table.of_events("PARTITIONED BY (day)")
    table.optimize("a, b", where="day = '2024-01-02'", files=9)
    (entry,) = table.sql("DESCRIBE HISTORY {t} LIMIT 1")
    added, removed = sizes(table, "add"), sizes(table, "remove")
    assert (entry["operation"], entry["readVersion"], entry["isBlindAppend"]) == ("OPTIMIZE", 2, False)
    assert entry["isolationLevel"] == "SnapshotIsolation"
    assert entry["operationParameters"] == {
        "predicate": """["('day = 2024-01-02)"]""",
        "zOrderBy": '["a","b"]',
        "clusterBy": "[]",
        "auto": "false",
    }
    count = len(added)
    assert {key: int(value) for key, value in entry["operationMetrics"].items()} == {
        "numAddedFiles": count,
        "numRemovedFiles": len(removed),
        "numAddedBytes": sum(added),
        "numRemovedBytes": sum(removed),
        "minFileSize": added[0],
        "p25FileSize": added[count // 4],
        "p50FileSize": added[count // 2],
        "p75FileSize": added[count * 3 // 4],
        "maxFileSize": added[-1],
        "numDeletionVectorsRemoved": 0,
    }


def test_nothing_in_the_commit_is_a_change_of_data(table: Table) -> None:
    table.of_events()
    before = {add["path"] for version in (1, 2) for add in table.actions("add", version)}
    table.optimize("a")
    assert {remove["path"] for remove in table.actions("remove")} == before
    assert [a["dataChange"] for kind in ("add", "remove") for a in table.actions(kind)] == [False] * (1 + len(before))
    assert table.actions("metaData") == table.actions("protocol") == table.actions("cdc") == []


def test_each_run_rewrites_all_files(table: Table) -> None:
    table.of_events()
    table.optimize("a, b")
    first = table.files
    metrics = table.optimize("a, b")["metrics"]
    assert (metrics["numFilesAdded"], metrics["numFilesRemoved"], metrics["totalFilesSkipped"]) == (1, 1, 0)
    assert not first & table.files


def test_an_empty_table_has_metrics_of_zero(table: Table) -> None:
    table.create("a INT, b INT")
    metrics = table.sql("OPTIMIZE {t} ZORDER BY (a)")[0]["metrics"].asDict(recursive=True)
    assert metrics["filesAdded"] == metrics["filesRemoved"] == summary([])
    assert (metrics["partitionsOptimized"], metrics["numBins"], metrics["totalConsideredFiles"]) == (0, 0, 0)
    assert metrics["zOrderStats"]["inputOtherFiles"] == {"num": 0, "size": 0}
    # Delta counts the batch in which it did nothing.
    assert metrics["numBatches"] == table.side.choose(delta=1, ours=0)


def test_the_number_of_columns_with_statistics(table: Table) -> None:
    table.create("a INT, b INT, c INT, d INT", properties={"delta.dataSkippingNumIndexedCols": "3"})
    table.append("id, id, id, id", 0, 10)
    metrics = table.optimize("a, c")["metrics"]
    assert (metrics["numTableColumns"], metrics["numTableColumnsWithStats"]) == (4, 3)
