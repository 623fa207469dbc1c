# SPDX-License-Identifier: Apache-2.0

"""Checks of a table's folder: what keeps it from being optimized, and what makes an OPTIMIZE of it no gain."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from spark_zorder._doctor.finding import OK, PROBLEM, WARNING, Finding
from spark_zorder._footers.folder import OWN, above, keeper_of
from spark_zorder._numbers import count, human_bytes
from spark_zorder._regular_files import open_regular, text_of
from spark_zorder._smaller_files import smaller_size

if TYPE_CHECKING:
    from collections.abc import Iterator

# What this build writes: the newest log that it reads, and the only index.
_LOG_VERSION, _INDEX_VERSION = 5, 2
_INDEX = re.compile(r"v(\d+)-\d+-[^.]+\.(?:index|parquet)")
# By default all of less fits in one file.
_ONE_FILE = 12_000_000
_STARTS = {b"ORC": "ORC", b"Obj\x01": "Avro", b"{": "JSON", b"[": "JSON"}


def table_in(folder: Path) -> Iterator[Finding]:
    """Looks at a table's folder, without changing anything.

    Args:
        folder: a local folder, or what should be one.
    """
    if not folder.exists():
        yield Finding("Table", PROBLEM, f"{folder} does not exist", "Name the table's folder, or a table as db.t.")
        return
    if folder.is_file():
        yield Finding("Table", PROBLEM, f"{folder} is a file", f"Name its folder: {folder.parent}")
        return
    root = Path(os.path.abspath(folder))  # noqa: PTH100 - links above a table are its user's
    if not os.access(root, os.R_OK | os.X_OK):
        advice = "Ask its owner for the rights."
        yield Finding("Rights", PROBLEM, f"the folder cannot be read (owner {_owner(root)})", advice)
        return
    is_delta = (root / "_delta_log").is_dir()
    other = _other_format(root)
    if other is not None:
        yield other
        return
    files = list(_data_files(root))
    if not files:
        yield Finding("Table", PROBLEM, f"{root} has no data file", "Write rows to the table first.")
        return
    size = sum(file.stat().st_size for file in files)
    kind = "Delta" if is_delta else "Parquet"
    old = ", with those of old versions" if is_delta else ""
    yield Finding("Table", OK, f"{kind}, {human_bytes(size)} in {count(len(files), 'file')}{old}")
    if not is_delta:
        yield from _parquet(root, files, size)
    yield from _rights(root, files, is_delta=is_delta)


def _data_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name[0] not in "._" or "=" in name]
        yield from (Path(folder, name) for name in names if name[0] not in "._")


def _other_format(root: Path) -> Finding | None:
    real = root.resolve()
    for folder in above(root):
        if folder.name == OWN:
            advice = f"Name the table, {folder.parent}: what is kept of it is no table."
            return Finding("Table", PROBLEM, f"{root} lies in {folder}", advice)
        keeper = keeper_of(folder)
        if keeper == "Delta Lake":
            if folder in (root, real):
                continue
            return Finding("Table", PROBLEM, f"{root} lies in the Delta table {folder}", f"Name {folder}.")
        if keeper is not None:
            advice = "Its files cannot be rewritten beside that record; use what that format has for it."
            if keeper == "Apache Iceberg":
                advice = "Name it as its catalog does, as in lake.db.t, with --iceberg (docs/iceberg.md)."
            return Finding("Table", PROBLEM, f"{keeper} keeps a record of the files in {folder}", advice)
    for folder in dict.fromkeys((root, real)):
        partition = re.fullmatch(r"([^=]+)=.*", folder.name)
        if partition and _is_table_of(folder.parent, folder.name, partition[1]):
            advice = f"Name the table, {folder.parent}, and the partition with --where."
            return Finding("Table", PROBLEM, f"{root} is a partition of a table", advice)
    return None


def _is_table_of(above: Path, partition: str, column: str) -> bool:
    names = _names(above)
    beside = (OWN, "_SUCCESS", "_metadata", "_common_metadata")
    return any(name in beside or (name != partition and name.startswith(f"{column}=")) for name in names)


def _parquet(root: Path, files: list[Path], size: int) -> Iterator[Finding]:
    start = _start(files[0])
    if start not in (b"PAR1", b""):
        kind = next((name for sign, name in _STARTS.items() if start.startswith(sign)), "no Parquet")
        advice = "Only Delta and Parquet tables can be optimized; write it as one of them."
        yield Finding("Files", PROBLEM, f"{files[0].name} is {kind}", advice)
    link = next((file for file in files if file.is_symlink()), None)
    if link is not None:
        advice = "OPTIMIZE passes no link: put the file itself there."
        yield Finding("Files", PROBLEM, f"{link.relative_to(root)} is a link", advice)
    if size < _ONE_FILE:
        smaller = smaller_size(size)
        advice = (
            f"Ask for smaller ones, for two columns: --option target_file_size={smaller}."
            if smaller
            else "Smaller files would gain nothing: a query reads a table of this size at once."
        )
        yield Finding("Size", WARNING, "OPTIMIZE makes one file of it, of which nothing can be skipped", advice)
    own = root / OWN
    if own.is_symlink():
        advice = "Statements pass no link: remove it, or put the folder itself there."
        yield Finding(OWN, PROBLEM, f"{own} is a link", advice)
    elif own.is_dir() and os.access(own, os.R_OK | os.X_OK):
        yield from _own_folder(root, own)


def _start(file: Path) -> bytes:
    """The first bytes of a file; none of one that this user may not read, of which the rights tell."""
    if not os.access(file, os.R_OK) or not file.is_file():
        return b""
    with open_regular(file) as stream:
        return stream.read(4)


def _own_folder(root: Path, own: Path) -> Iterator[Finding]:
    analyze = f"spark-zorder analyze {root} finishes it."
    log, index = own / "log", own / "statistics"
    entries = _entries(log)
    if any(version is None for _, version, _ in entries):
        advice = "docs/parquet.md, Recovery by hand, says how to end the rewrite."
        yield Finding(OWN, PROBLEM, "an entry of the log cannot be read", advice)
    elif any(version is not None and version > _LOG_VERSION for _, version, _ in entries):
        advice = "Use that version of spark-zorder or a later one for this table."
        yield Finding(OWN, PROBLEM, "the log was written by a newer version", advice)
    elif any(not is_closed for *_, is_closed in entries):
        advice = f"If none runs now, one was interrupted: {analyze}"
        yield Finding(OWN, WARNING, "a rewrite is not finished", advice)
    versions = [_INDEX.fullmatch(name) for name in _names(index)]
    if any(found and int(found[1]) != _INDEX_VERSION for found in versions):
        advice = "It is ignored: use that version of spark-zorder, or delete the file and run ANALYZE."
        yield Finding(OWN, WARNING, "the statistics index was written by another version", advice)
    elif not any(versions):
        advice = f"Queries skip no file by statistics: spark-zorder analyze {root}"
        yield Finding(OWN, WARNING, "there is no statistics index", advice)
    else:
        yield Finding(OWN, OK, f"statistics index, and {count(len(entries), 'rewrite')} in the log")


def _names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.is_dir() and os.access(folder, os.R_OK) else []  # noqa: PTH208


def _entries(log: Path) -> list[tuple[str, int | None, bool]]:
    """The entries of a log: name, version of the form (None where it cannot be read), and whether each is closed."""
    names = _names(log)
    found: list[tuple[str, int | None, bool]] = []
    for name in (each for each in names if each.endswith(".json")):
        try:
            document = json.loads(text_of(log / name))
            closed = f"{name.removesuffix('.json')}.{document['entry']['id']}.closed"
            found.append((name, int(document["version"]), closed in names))
        except (OSError, ValueError, KeyError, TypeError):
            found.append((name, None, False))
    return found


def _rights(root: Path, files: list[Path], *, is_delta: bool) -> Iterator[Finding]:
    unread = next((file for file in files if not os.access(file, os.R_OK)), None)
    if unread is not None:
        advice = "Readers need all data files of the table; the owner runs ANALYZE once they are open."
        yield Finding("Rights", PROBLEM, f"{unread.relative_to(root)} cannot be read", advice)
    folders = sorted({root, *(file.parent for file in files), *([root / "_delta_log"] if is_delta else [])})
    shut = next((folder for folder in folders if not os.access(folder, os.W_OK | os.X_OK)), None)
    own = root / OWN
    if shut is not None:
        advice = "OPTIMIZE creates and deletes files there: mend the permissions. Queries and layout work."
        yield Finding("Rights", WARNING, f"{shut} cannot be written (owner {_owner(shut)})", advice)
    elif own.is_dir() and not os.access(own, os.R_OK | os.X_OK):
        advice = "Who reads the table reads its log: the owner opens the data files to you, and runs ANALYZE."
        yield Finding("Rights", PROBLEM, f"{own} cannot be read (owner {_owner(own)})", advice)
    elif own.is_dir() and not os.access(own, os.W_OK):
        advice = "OPTIMIZE and ANALYZE write there: mend the permissions."
        yield Finding("Rights", WARNING, f"{own} cannot be written (owner {_owner(own)})", advice)
    elif unread is None:
        yield Finding("Rights", OK, f"the folder can be read and written (owner {_owner(root)})")


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, NotImplementedError):
        return str(path.stat().st_uid)
