# SPDX-License-Identifier: Apache-2.0

"""A table's folder, made and read without Spark: its rows, its data files, and what should not be there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake
from statements import name_of

if TYPE_CHECKING:
    from pathlib import Path

Row = tuple[int, int, int, str]
FILES = 8


def make_tables(folder: Path, rows: list[Row]) -> None:
    """A table of each format, of `FILES` files."""
    data = pa.table(dict(zip(("id", "a", "b", "c"), map(list, zip(*rows, strict=True)), strict=True)))
    (folder / name_of("parquet")).mkdir(parents=True)
    for i in range(FILES):
        part = data.take(pa.array(range(i, len(rows), FILES)))
        pq.write_table(part, folder / name_of("parquet") / f"part-{i}.parquet")
        write_deltalake(str(folder / name_of("delta")), part, mode="append")


def rows_of(table: Path) -> list[Row]:
    """All rows, by their `id`."""
    columns = [pq.read_table(file, columns=["id", "a", "b", "c"]).to_pydict().values() for file in data_files(table)]
    return sorted(row for values in columns for row in zip(*values, strict=True))


def data_files(table: Path) -> list[Path]:
    """Those that count: of a Delta table those of its log, else all in the folder."""
    if not (log := table / "_delta_log").exists():
        return sorted(table.glob("*.parquet"))
    added, _ = _logged(log)
    return sorted(table / name for name in added)


def left_behind(table: Path) -> list[str]:
    """Names of staged files, of files that the log does not know, and of temporary ones."""
    log = table / "_delta_log"
    known = set.union(*_logged(log)) if log.exists() else {file.name for file in data_files(table)}
    left = [str(file.relative_to(table)) for file in (table / "_zorder" / "staging").rglob("*") if file.is_file()]
    # What Spark's own writers leave out, Hadoop's checksums among it, starts with a dot.
    for file in table.iterdir():
        if file.is_file() and not file.name.startswith((".", "_SUCCESS")) and file.name not in known:
            left.append(file.name)
    return left + [str(f.relative_to(table)) for f in table.rglob("*") if "_temporary" in f.parts or f.suffix == ".tmp"]


def _logged(log: Path) -> tuple[set[str], set[str]]:
    """Names of the files that count, and of those that did."""
    added: set[str] = set()
    removed: set[str] = set()
    for version in sorted(log.glob("*.json")):
        for action in map(json.loads, version.read_text().splitlines()):
            if "remove" in action:
                removed.add(action["remove"]["path"])
            if "add" in action:
                added.add(action["add"]["path"])
        added -= removed
    return added, removed
