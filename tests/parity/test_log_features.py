# SPDX-License-Identifier: Apache-2.0

"""Features about versions and the log: time travel, VACUUM, RESTORE, clones, checkpoints, commit timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sides import EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sides import Table


def data_files(table: Table) -> set[Path]:
    return {file for file in table.location.rglob("*.parquet") if "_delta_log" not in file.parts}


def test_vacuum_removes_the_old_files_only(table: Table) -> None:
    table.of_events("PARTITIONED BY (day)", {"delta.enableDeletionVectors": "true"}, rows=60)
    table.sql("DELETE FROM {t} WHERE id = 3")
    table.optimize("a, b")
    rows, files = table.rows(), table.files
    assert files < data_files(table)
    table.sql("VACUUM {t} RETAIN 0 HOURS")
    assert data_files(table) == files
    assert list(table.location.glob("*.bin")) == []
    assert table.rows() == rows


def test_restored_and_optimized_again(table: Table) -> None:
    table.of_events(rows=60)
    rows, files = table.rows(), table.files
    table.optimize("a, b")
    table.append(EVENTS, 60, 70)
    table.sql("RESTORE TABLE {t} TO VERSION AS OF 2")
    assert (table.rows(), table.files) == (rows, files)
    table.optimize("b")
    assert table.rows() == rows


def test_a_shallow_clone_and_its_source_are_optimized_apart(new_table: Callable[[], Table]) -> None:
    source, clone = new_table().of_events("PARTITIONED BY (day)", rows=30), new_table()
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {source.name}")
    rows, files, version = source.rows(), source.files, source.version
    clone.append(EVENTS, 30, 32)

    clone.optimize("a, b")

    assert (source.rows(), source.files, source.version) == (rows, files, version)
    assert all(file.is_relative_to(clone.location) for file in clone.files)
    late = new_table()
    late.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {source.name}")
    source.optimize("a, b")
    assert (late.rows(), late.files) == (rows, files)
    late.optimize("b", where="day = '2024-01-01'")
    assert late.rows() == rows


@pytest.mark.parametrize("policy", ["classic", "v2"])
def test_files_come_from_a_checkpoint(table: Table, policy: str) -> None:
    properties = {"delta.checkpointPolicy": policy, "delta.checkpointInterval": "2"}
    table.of_events("PARTITIONED BY (day)", properties, rows=60)
    log = table.location / "_delta_log"
    assert list(log.glob("*2.checkpoint*"))
    assert bool(list((log / "_sidecars").glob("*.parquet"))) == (policy == "v2")

    table.optimize("a, b")
    assert len(table.files) == 3
    table.append(EVENTS, 60, 62)
    assert list(log.glob("*4.checkpoint*"))
    table.optimize("a", where="day = '2024-01-01'")
    assert len(table.rows()) == 62


def test_commit_timestamps_are_in_the_log_and_increase(table: Table) -> None:
    table.of_events(properties={"delta.enableInCommitTimestamps": "true"}, rows=30)
    table.optimize("a, b")
    table.append(EVENTS, 30, 32)
    stamps = [table.actions("commitInfo", version)[0]["inCommitTimestamp"] for version in range(table.version + 1)]
    assert sorted(set(stamps)) == stamps
    shown = {entry["version"]: entry["timestamp"] for entry in table.sql("DESCRIBE HISTORY {t}")}
    assert len(table.sql(f"SELECT * FROM {{t}} TIMESTAMP AS OF '{shown[3]}'")) == 30


def test_old_and_new_versions_by_time_and_number(table: Table) -> None:
    table.of_events(rows=30)
    old = table.rows()
    table.optimize("a, b")
    table.sql("UPDATE {t} SET a = -1 WHERE id < 5")
    table.append(EVENTS, 30, 32)
    assert table.rows(version=2) == table.rows(version=3) == old
    at_path = table.side.session.read.format("delta").option("versionAsOf", 3).load(str(table.location))
    assert at_path.count() == 30
