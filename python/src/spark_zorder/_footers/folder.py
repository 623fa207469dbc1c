# SPDX-License-Identifier: Apache-2.0

"""The data files of a folder as Spark's reader finds them, and the log of rewrites beside them."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING

from spark_zorder._footers.doubt import NotCertain
from spark_zorder._regular_files import text_of

if TYPE_CHECKING:
    from pathlib import Path

OWN = "_zorder"
# Folders by which something else keeps a record of the files.
_RECORDS = {"_delta_log": "Delta Lake", ".hoodie": "Apache Hudi", "_spark_metadata": "a streaming sink"}
_SUMMARIES = ("_metadata", "_common_metadata")
# Names that are the same in a path, in a URI and on a terminal.
_PLAIN = re.compile(r"[A-Za-z0-9_.,+=-]+")


def data_files(root: Path) -> list[str]:
    """Returns the paths of the data files in a table's folder, sorted.

    Args:
        root: the folder, absolute.

    Raises:
        NotCertain: the folder is none of plain Parquet files, or its partitions are not all alike.
    """
    for folder in above(root):
        if keeper_of(folder) is not None:
            raise NotCertain(f"{folder} has a record of its files")
        if folder.name == OWN or (folder not in (root, root.resolve()) and (folder / OWN).exists()):
            raise NotCertain("the folder may be a part of a table")
    if "=" in root.name or "=" in root.resolve().name:
        raise NotCertain("the folder may be a partition of a table")
    found: list[str] = []
    _walk(root, "", found)
    if not found:
        raise NotCertain("there is no file")
    if len({_partition_columns(path) for path in found}) > 1:
        raise NotCertain("the folders are not all partitions of the same columns")
    return sorted(found)


def keeper_of(folder: Path) -> str | None:
    """Returns what keeps a record of the files in a folder, as "Apache Iceberg" does; None if nothing is known to."""
    for name, keeper in _RECORDS.items():
        if (folder / name).exists():
            return keeper
    if any((folder / "metadata").glob("*.metadata.json*")):
        return "Apache Iceberg"
    is_paimon = (folder / "manifest").is_dir() and any((folder / "snapshot").glob("snapshot-[0-9]*"))
    return "Apache Paimon" if is_paimon else None


def above(root: Path) -> list[Path]:
    """Returns a folder and those above it, by its path and where links lead that are in that."""
    real = root.resolve()
    return list(dict.fromkeys((root, *root.parents, real, *real.parents)))


def partition_columns(path: str) -> tuple[str, ...]:
    """Returns the names of the columns of which a file's folders tell."""
    return _partition_columns(path)


def _partition_columns(path: str) -> tuple[str, ...]:
    return tuple(part.partition("=")[0] for part in path.split("/")[:-1])


def _walk(folder: Path, below: str, found: list[str]) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name in _SUMMARIES:
                raise NotCertain("a summary of footers lies beside the files")
            # Spark passes over these names, but for `_p=1`, which it takes for a partition.
            if entry.name[0] in "._" and "=" not in entry.name:
                continue
            if entry.is_symlink() or not _PLAIN.fullmatch(entry.name) or entry.name.endswith("_COPYING_"):
                raise NotCertain(f"{below}{entry.name} is a link, or has a special name")
            if entry.is_dir():
                if not re.fullmatch(r"[A-Za-z]\w*=[^=]+", entry.name):
                    raise NotCertain(f"{below}{entry.name} is no folder of a partition")
                _walk(folder / entry.name, f"{below}{entry.name}/", found)
            else:
                found.append(below + entry.name)


def log_of(root: Path) -> frozenset[str]:
    """Returns the names in the log of a table's rewrites; equal before and after a look means that none came between.

    Raises:
        NotCertain: a rewrite is not closed: which files count is to be judged by what the log says; or many may write
            into a folder with the sticky bit.
    """
    own = root / OWN
    if not own.exists():
        return frozenset()
    if not os.access(own, os.R_OK | os.X_OK):
        # A folder that is closed to this user looks empty to some functions.
        raise NotCertain("the log cannot be read")
    if (mode := root.stat().st_mode) & stat.S_ISVTX and mode & (stat.S_IWGRP | stat.S_IWOTH):
        # Whose word counts there the statement decides, as `FolderTrust` of the extension.
        raise NotCertain("others than the owner of the folder may have written what is kept of it")
    log = own / "log"
    names = frozenset(os.listdir(log)) if log.is_dir() else frozenset()  # noqa: PTH208 - names are all it takes
    for name in names:
        number, _, rest = name.partition(".")
        if rest.endswith(".json"):
            of_log = rest.removesuffix(".json")
            rewrite = json.loads(text_of(log / name))["entry"]["id"]
            if f"{number}.{of_log}.{rewrite}.closed" not in names:
                raise NotCertain("a rewrite is open")
    return names
