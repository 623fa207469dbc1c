# SPDX-License-Identifier: Apache-2.0

"""The live files of a Delta table, read from its log without any engine."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote, urlparse


def live_files(table: Path) -> list[Path]:
    """The data files of the table's last version.

    Args:
        table: the folder of a table whose log still has every commit, as all tables of the benchmarks do.

    Raises:
        ValueError: commits are missing, or files have deletion vectors.
    """
    commits = sorted((table / "_delta_log").glob("[0-9]*.json"))
    if [int(commit.stem) for commit in commits] != list(range(len(commits))) or not commits:
        raise ValueError(f"not every commit is in {table}/_delta_log")
    live: dict[str, None] = {}
    for commit in commits:
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            if "add" in action:
                if action["add"].get("deletionVector"):
                    raise ValueError(f"a file of {table} has a deletion vector")
                live[action["add"]["path"]] = None
            elif "remove" in action:
                live.pop(action["remove"]["path"], None)
    return sorted(_resolved(table, path) for path in live)


def _resolved(table: Path, path: str) -> Path:
    parsed = urlparse(path)
    return Path(unquote(parsed.path)) if parsed.scheme else table / unquote(path)
