# SPDX-License-Identifier: Apache-2.0

"""Runs of the user's program `walk.py`, and what they show."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from statements import FORMATS, expected_rows, name_of
from tables import data_files, left_behind, rows_of

from launching import run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WALK = str(Path(__file__).with_name("walk.py"))


def walk(folder: Path, conf: Mapping[str, str], *command: str) -> dict[str, Any]:
    """The layouts and answers of a run of the program, by format and purpose."""
    return walk_elsewhere(folder, conf, str(folder), lambda name: folder / name, *command)


def walk_elsewhere(
    folder: Path, conf: Mapping[str, str], place: str, local: Callable[[str], Path], *command: str
) -> dict[str, Any]:
    """The same with tables in another place.

    Args:
        folder: for the program's own files; made here.
        conf: settings of the session.
        place: the folder in which tables are made.
        local: gives a folder of this machine that has the files of a table, by the table's name.
        command: what runs the program, else Python.
    """
    folder.mkdir()
    done = run([*(command or [sys.executable]), WALK, str(folder), json.dumps(conf), place], folder)
    assert done.returncode == 0
    answers = json.loads((folder / "answers.json").read_text())
    return {table_format: seen(local(name_of(table_format)), answers[table_format]) for table_format in FORMATS}


def seen(table: Path, answers: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same on every machine; checks that all rows are there and nothing else."""
    assert rows_of(table) == expected_rows()
    assert left_behind(table) == []
    result = {purpose: answers[purpose] for purpose in ("layout", "query")}
    for purpose in ("full", "incremental"):
        (row,) = answers[purpose]
        # Sizes, of which a file's name is a part in the log, and seconds come later in the line.
        result[purpose] = [row["layout"], row["summary"].split(" files;")[0], row["metrics"]["numFilesAdded"]]
    (row,) = answers["explain"]
    result["explain"] = {k: v for k, v in row.items() if k.startswith(("files", "pages", "rows"))}
    result["files"] = len(data_files(table))
    return result
