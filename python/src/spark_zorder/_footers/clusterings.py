# SPDX-License-Identifier: Apache-2.0

"""How OPTIMIZE laid files out, from the statistics index of a Parquet table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_zorder._footers.doubt import NotCertain
from spark_zorder._footers.folder import OWN
from spark_zorder._regular_files import open_regular

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

_SPREAD = 0x9E3779B97F4A7C15
_VERSION = re.compile(r"v[12]-(?P<number>\d+)-[^.]+\.(?:index|parquet)")


def clusterings_of(root: Path, paths: Sequence[str]) -> list[tuple[tuple[str, ...], ...]]:
    """Returns the columns by which files are laid out, of each file that the statistics index knows as it now is.

    Args:
        root: the table's folder.
        paths: the files.

    Raises:
        NotCertain: the statistics index has a form that is not known here.
    """
    import pyarrow.parquet as pq

    folder = root / OWN / "statistics"
    if not folder.is_dir():
        return []
    found = [(_VERSION.fullmatch(file.name), file) for file in folder.iterdir() if not file.name.startswith(".")]
    if not found:
        return []
    if not all(match for match, _ in found):
        raise NotCertain("the statistics index has a form that is not known here")
    last = max((int(match["number"]), file.name, file) for match, file in found if match)[2]
    wanted = ["file", "size", "modification_time", "clustering", "state"]
    # By its path alone, as pyarrow would take the folder's name for a partition.
    with open_regular(last) as stream:
        rows = pq.read_table(stream, columns=wanted).to_pylist()
    known = {row["file"]: row for row in rows}
    clusterings = []
    for path in paths:
        row = known.get(path)
        if row and row["clustering"] and _is_same(root / path, row):
            clusterings.append(tuple(tuple(column) for column in row["clustering"]["columns"]))
    return clusterings


def _is_same(file: Path, row: dict[str, int | None]) -> bool:
    """Whether a file is the one that was indexed."""
    now = file.stat()
    same = row["size"] == now.st_size and row["modification_time"] == now.st_mtime_ns // 1_000_000
    return same and row.get("state") in (None, state_of(now))


def state_of(file: os.stat_result) -> int:
    """Returns what the index keeps of a file on a local disk, as `UnixAttributes` of the extension computes it.

    Args:
        file: its number and the time of the last change of anything about it count.
    """
    bits = (file.st_ctime_ns + file.st_ino * _SPREAD) % 2**64
    return bits - 2**64 if bits >= 2**63 else bits
