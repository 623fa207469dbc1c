# SPDX-License-Identifier: Apache-2.0

"""Features about rows: deletion vectors, row tracking, the change data feed, append-only tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from sides import EVENTS

if TYPE_CHECKING:
    from sides import Table

DELETION_VECTORS = {"delta.enableDeletionVectors": "true"}
ROW_TRACKING = {"delta.enableRowTracking": "true"}
IDS = "id, a, b, c, day, _metadata.row_id, _metadata.row_commit_version"


def test_deletion_vectors_are_purged_and_counted(table: Table) -> None:
    table.of_events(properties=DELETION_VECTORS)
    table.sql("DELETE FROM {t} WHERE id IN (3, 5, 160)")
    table.sql("DELETE FROM {t} WHERE id = 7")
    vectors = sum("deletionVector" in add for add in table.actions("add", 3))
    assert vectors >= 1

    metrics = table.optimize("a, b")["metrics"]

    removed = table.actions("remove")
    purged = [remove["deletionVector"]["cardinality"] for remove in removed if "deletionVector" in remove]
    assert metrics["deletionVectorStats"].asDict() == {
        "numDeletionVectorsRemoved": len(purged),
        "numDeletionVectorRowsRemoved": 4,
    }
    assert (sum(purged), table.last["operationMetrics"]["numDeletionVectorsRemoved"]) == (4, str(len(purged)))
    assert [key for key in table.last["operationMetrics"] if "DeletionVector" in key] == ["numDeletionVectorsRemoved"]
    assert not any("deletionVector" in add for add in table.actions("add"))
    assert [(s["numRecords"], s["tightBounds"]) for s in table.statistics()] == [(296, True)]
    table.sql("DELETE FROM {t} WHERE id = 9")
    assert len(table.rows()) == 295


def test_rows_that_are_all_deleted_leave_no_file(table: Table) -> None:
    table.of_events("PARTITIONED BY (day)", DELETION_VECTORS, rows=12)
    table.sql("DELETE FROM {t} WHERE day = '2024-01-01' AND id < 100")
    table.append(EVENTS, 0, 1)
    table.sql("DELETE FROM {t} WHERE id = 0 AND c <> ''")
    table.optimize("a")
    assert {add["partitionValues"]["day"] for add in table.actions("add")} == {"2024-01-02", "2024-01-03"}


@pytest.mark.parametrize("partitions", ["", "PARTITIONED BY (day)"])
def test_rows_keep_their_ids_and_commit_versions(table: Table, partitions: str) -> None:
    table.of_events(partitions, ROW_TRACKING | DELETION_VECTORS, rows=60)
    table.sql("UPDATE {t} SET b = -1 WHERE id % 10 = 3")
    table.sql("DELETE FROM {t} WHERE id % 10 = 4")
    before = table.rows(IDS)
    assert len({row.split("row_commit_version=")[1] for row in before}) == 3

    table.optimize("a, b", select=IDS, files=2)
    table.optimize("b", select=IDS)

    assert table.last["tags"]["delta.rowTracking.preserved"] == "true"
    assert all({"baseRowId", "defaultRowCommitVersion"} <= add.keys() for add in table.actions("add"))
    table.append(EVENTS, 60, 62)
    table.sql("MERGE INTO {t} t USING (SELECT 61 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET b = -2")
    after = table.rows(IDS)
    assert len(table.rows("_metadata.row_id")) == sum(after.values()) == 56
    assert before < after


def test_row_tracking_that_comes_later_keeps_the_ids_it_gives(table: Table) -> None:
    table.of_events(rows=30)
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    table.optimize("a", select=IDS)
    assert len(table.rows("_metadata.row_id")) == 30


def test_row_ids_are_not_called_preserved_where_they_are_not_kept(table: Table) -> None:
    table.of_events(rows=30, properties={"delta.feature.rowTracking": "supported"})
    table.optimize("a")
    assert table.last.get("tags", {}).get("delta.rowTracking.preserved", "false") == "false"


def test_the_change_data_feed_tells_of_no_change(table: Table) -> None:
    table.of_events(properties={"delta.enableChangeDataFeed": "true"} | DELETION_VECTORS, rows=30)
    table.sql("UPDATE {t} SET b = -1 WHERE id = 3")
    table.sql("DELETE FROM {t} WHERE id = 4")
    changes = table.changes()
    table.optimize("a, b")
    optimized = table.version
    assert table.changes() == changes
    with_feed = table.side.session.read.option("readChangeFeed", "true").option("startingVersion", optimized)
    assert with_feed.table(table.name).collect() == []
    table.sql("DELETE FROM {t} WHERE id = 5")
    assert [row["_change_type"] for row in table.sql(f"SELECT * FROM table_changes('{{t}}', {optimized})")] == [
        "delete"
    ]


def test_an_append_only_table_is_optimized_and_stays_so(table: Table) -> None:
    table.of_events(properties={"delta.appendOnly": "true"}, rows=30)
    table.optimize("a, b")
    with pytest.raises(PySparkException, match="append"):
        table.sql("DELETE FROM {t} WHERE id = 1")
    table.append(EVENTS, 30, 32)
    assert len(table.rows()) == 32
