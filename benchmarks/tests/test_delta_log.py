# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from optimize.delta_log import live_files

if TYPE_CHECKING:
    from pathlib import Path


def commit(table: Path, version: int, *actions: dict[str, Any]) -> None:
    log = table / "_delta_log"
    log.mkdir(exist_ok=True)
    (log / f"{version:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))


def test_added_without_removed(tmp_path: Path) -> None:
    commit(tmp_path, 0, {"protocol": {}}, {"add": {"path": "a%20b.parquet"}}, {"add": {"path": "c.parquet"}})
    commit(tmp_path, 1, {"remove": {"path": "c.parquet"}}, {"add": {"path": "d.parquet"}})
    assert live_files(tmp_path) == [tmp_path / "a b.parquet", tmp_path / "d.parquet"]


def test_missing_commits_and_deletion_vectors_are_refused(tmp_path: Path) -> None:
    commit(tmp_path, 1, {"add": {"path": "a.parquet"}})
    with pytest.raises(ValueError, match="not every commit"):
        live_files(tmp_path)
    commit(tmp_path, 0, {"add": {"path": "a.parquet", "deletionVector": {"storageType": "u"}}})
    with pytest.raises(ValueError, match="deletion vector"):
        live_files(tmp_path)
