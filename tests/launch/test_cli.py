# SPDX-License-Identifier: Apache-2.0

"""The command `spark-zorder`, as people with a path and no notebook use it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from launching import BIN, COMMANDS, INTERPRETED, delta_jars, environment, flags, run, small

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = str(BIN / "spark-zorder")


def rows(number: int = 6000) -> pa.Table:
    ids = range(number)
    return pa.table({"id": ids, "a": [i * 7919 % 1000 for i in ids], "b": [str(i * 104729 % 5000) for i in ids]})


def parquet_table(folder: Path, files: int = 4) -> str:
    path = folder / "a table"
    path.mkdir()
    data = rows()
    for i in range(files):
        pq.write_table(data.take(pa.array(range(i, len(data), files))), path / f"part-{i}.parquet")
    return str(path)


def session(folder: Path) -> list[str]:
    return flags(small(folder) | INTERPRETED)


def test_optimize_a_parquet_folder(tmp_path: Path) -> None:
    table, here = parquet_table(tmp_path), tmp_path / "here"
    here.mkdir()
    words = ["--by", "a,id", "--option", "target_file_size=20k", "--json", *session(tmp_path)]

    done = run([PROGRAM, "optimize", table, *words], here)

    assert (done.returncode, done.stderr) == (0, "")
    (row,) = json.loads(done.stdout)["rows"]
    assert row["metrics"]["numFilesRemoved"] == 4
    assert [gain["column"] for gain in row["layout"]] == ["a", "id"]
    assert pq.read_table(table, columns=["id", "a", "b"]).sort_by("id").equals(rows())
    # No metastore and no warehouse, where the user happens to be.
    assert list(here.iterdir()) == []


@pytest.mark.long
def test_optimize_a_delta_folder_on_a_terminal(tmp_path: Path) -> None:
    table = str(tmp_path / "t")
    for part in range(4):
        write_deltalake(table, rows().slice(part * 1500, 1500), mode="append")
    command = [PROGRAM, "optimize", table, "--by", "a,id", "--jars", ",".join(delta_jars()), *session(tmp_path)]

    terminal, its_end = pty.openpty()
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**environment(), "TERM": "xterm", "COLUMNS": "120"},
        stdin=its_end,
        stdout=its_end,
        stderr=its_end,
    ) as process:
        os.close(its_end)
        shown = read_all(terminal)

    assert process.returncode == 0, shown
    assert "Starting Spark ..." in shown
    # A statement that is the first of its JVM takes longer than the second before which nothing is shown.
    assert "sampling" in shown
    assert "4 files" in shown
    lines = shown[shown.index("╭") :].splitlines()
    assert lines[1].split("│")[1].strip(" \x1b[0m1") == "column"
    assert "; 4 -> 1 file; " in lines[-1]
    assert "WARN" not in shown


def read_all(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()


@pytest.mark.long
def test_commands_on_a_folder(tmp_path: Path) -> None:
    table, own = parquet_table(tmp_path), session(tmp_path)
    properties = tmp_path / "my.conf"
    properties.write_text("spark.sql.zorder.targetFileSize 10k\n")
    query = f"SELECT * FROM parquet.`{table}` WHERE id < 10"
    commands = [
        ["layout", table, "--on", "a,id", *own],
        ["files", table, "--on", "id", "--json", *own],
        ["analyze", table, "--columns", "id", *own],
        ["skipping", query, *own],
        ["optimize", table, "--by", "a,id", "--dry-run", "--properties-file", str(properties), *own],
        ["optimize", table, "--by", "nothing", "--json", *own],
        ["layout", str(tmp_path / "not there"), *own],
    ]

    done = run([sys.executable, "-c", COMMANDS, json.dumps(commands)], tmp_path)

    replies = json.loads(done.stdout)
    assert [code for code, _, _ in replies] == [0, 0, 0, 0, 0, 1, 1]
    assert [err for _, _, err in replies[:5]] == [""] * 5
    out = [text for _, text, _ in replies]
    assert out[0].splitlines()[0].split()[:2] == ["column", "files"]
    assert [line.split()[0] for line in out[0].splitlines()] == ["column", "a", "id"]
    assert len(json.loads(out[1])["rows"]) == 4
    assert f"file:{table}" in out[2]
    assert "4 of 4" in out[3]
    assert "nothing was changed" in out[4]
    assert json.loads(out[5])["error"]["condition"] == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    # PySpark logs an error that is asked for its condition, with a stack trace.
    assert replies[5][2].startswith("spark-zorder: ")
    assert "Traceback" not in replies[5][2]
    assert '"ts"' not in replies[5][2]
    assert "not there" in replies[6][2]
    assert "\tat " not in replies[6][2]
    assert len(list((tmp_path / "a table").glob("*.parquet"))) == 4
