# SPDX-License-Identifier: Apache-2.0

"""Links and forged logs in the folders of Parquet tables, with the file system that Spark takes for `file:`.

PySpark has Hive's jars and takes their wrapping of Hadoop's local file system; drivers of other tests have a quick one.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from launching import ZORDER, answers, settings

if TYPE_CHECKING:
    from pathlib import Path

OPTIMIZE = "OPTIMIZE parquet.`{}` ZORDER BY (a, b) OPTIONS (target_file_size = '2k', batch_size = '4k')"
ANALYZE = "ANALYZE TABLE parquet.`{}` COMPUTE FILE STATISTICS"


def _table(folder: Path) -> Path:
    for part in range(3):
        (folder / f"p={part}").mkdir(parents=True)
        for number in range(2):
            rows = range(number * 300, (number + 1) * 300)
            columns = {"a": [row * 7 % 101 for row in rows], "b": list(rows)}
            pq.write_table(pa.table(columns), folder / f"p={part}" / f"{number}.parquet")
    return folder


def _state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(file.relative_to(folder)): (file.stat().st_mode, file.stat().st_uid, file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def _forged(table: Path, log: str) -> None:
    (table / "_zorder" / "log").mkdir(parents=True)
    (table / "_zorder" / "log" / "0.id").write_text("L")
    entry = {"log": log, "number": 1, "id": "abc", "previous": None, "folders": []}
    (table / "_zorder" / "log" / f"{1:020}.L.json").write_text(json.dumps({"version": 3, "entry": entry}))


@pytest.mark.daily
def test_nothing_outside_is_touched_and_identities_are_kept(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(16):
        (outside / f"sum{number}").write_text("precious")
        (outside / f"run{number}").write_text("precious")
    for name in ("f.abc.verdict", ".f.abc.verdict.crc", "f.abc.closed", "shared"):
        (outside / name).write_text('{"moved":[]}')
    (outside / "shared").chmod(0o640)
    names = ("sums", "runs", "staging", "id", "entry", "hard", "plain")
    tables = {name: _table(tmp_path / name) for name in names}
    for name in ("sums", "runs"):
        (tables[name] / "_zorder" / "runs").mkdir(parents=True)
    for number in range(16):
        (tables["sums"] / "_zorder" / "runs" / f".{number}.crc").symlink_to(outside / f"sum{number}")
        os.link(outside / f"run{number}", tables["runs"] / "_zorder" / "runs" / str(number))
    (tables["staging"] / "_zorder").mkdir()
    (tables["staging"] / "_zorder" / "staging").symlink_to(outside)
    (tables["id"] / "_zorder" / "log").mkdir(parents=True)
    (tables["id"] / "_zorder" / "log" / "0.id").write_text("x/../../../../outside/evil")
    _forged(tables["entry"], "x/../../../../outside/f")
    (tables["hard"] / "_zorder").mkdir()
    os.link(outside / "shared", tables["hard"] / "_zorder" / "x")
    before = _state(outside)

    conf = settings(tmp_path, [ZORDER], delta=False)
    statements = [form.format(tables[name]) for name in names for form in (OPTIMIZE, ANALYZE)]
    counts = [f"SELECT count(*), sum(b) FROM parquet.`{table}`" for table in tables.values()]
    replies = answers(tmp_path, conf, [(text, None) for text in [*statements, *counts]])

    assert _state(outside) == before
    conditions = {
        name: {reply["condition"] for reply in replies[2 * i : 2 * i + 2] if isinstance(reply, dict)}
        for i, name in enumerate(names)
    }
    assert conditions == {
        "sums": set(),
        "runs": set(),
        "staging": {"ZORDER_PATH_OUTSIDE_TABLE"},
        "id": {"ZORDER_UNREADABLE_LOG"},
        "entry": {"ZORDER_UNREADABLE_LOG"},
        "hard": set(),
        "plain": set(),
    }
    all_rows = [[1800, 3 * sum(range(600))]]
    assert [reply for reply in replies[2 * len(names) :] if not isinstance(reply, dict)] == [all_rows] * 5
    # By them a process that slept tells files that were restored since.
    log = tables["plain"] / "_zorder" / "log"
    entries = [json.loads(file.read_text())["entry"] for file in log.glob("*.json")]
    assert entries
    assert all(len(f["identities"]) == len(f["replaced"]) > 0 for entry in entries for f in entry["folders"])
