# SPDX-License-Identifier: Apache-2.0

"""Queries before and after a change of the layout, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_zorder._grid import Grid, plain
from spark_zorder._numbers import decimals, human_bytes
from spark_zorder._result import grid_html

if TYPE_CHECKING:
    from collections.abc import Sequence

# Longer texts of queries are cut: the table is to fit a terminal.
_NAME_WIDTH = 48
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class QueryFigures:
    """What a query took.

    Attributes:
        name: its name, or its text.
        query: its text in SQL.
        seconds: the median of its runs.
        runs: the seconds of each run, in order.
        files_read: number of files that its scans open; None where nobody knows.
        files_total: number of files of their tables.
        bytes_read: compressed bytes of the columns that its scans read.
        bytes_total: those of the same columns in all files.
    """

    name: str
    query: str
    seconds: float
    runs: tuple[float, ...]
    files_read: int | None
    files_total: int | None
    bytes_read: int | None
    bytes_total: int | None


class Comparison:
    """The same queries before and after; it prints as a table.

    Attributes:
        pairs: of each query the figures before and after.
    """

    def __init__(self, pairs: Sequence[tuple[QueryFigures, QueryFigures]]) -> None:
        """Use `Benchmark.compared_with`.

        Args:
            pairs: of each query the figures before and after.
        """
        self.pairs = tuple(pairs)

    def rows(self) -> list[dict[str, Any]]:
        """Returns for each query its `name`, and what was read and took before and after.

        The `ratio` of seconds and bytes is what it was before divided by what it is now: 2.0 is half of it.
        """
        return [
            {
                "name": after.name,
                "seconds_before": before.seconds,
                "seconds_after": after.seconds,
                "seconds_ratio": ratio(before.seconds, after.seconds),
                "files_before": before.files_read,
                "files_after": after.files_read,
                "bytes_before": before.bytes_read,
                "bytes_after": after.bytes_read,
                "bytes_ratio": ratio(before.bytes_read, after.bytes_read),
            }
            for before, after in self.pairs
        ]

    def grid(self) -> Grid:
        """Returns the comparison as a table of texts."""
        titles = ["query", "seconds", "ratio", "files", "bytes", "ratio of bytes"]
        rows = [
            [
                _short(after.name),
                f"{_seconds(before.seconds)} -> {_seconds(after.seconds)}",
                _times(ratio(before.seconds, after.seconds)),
                f"{_files(before)} -> {_files(after)}",
                f"{_bytes(before.bytes_read)} -> {_bytes(after.bytes_read)}",
                _times(ratio(before.bytes_read, after.bytes_read)),
            ]
            for before, after in self.pairs
        ]
        return Grid(titles, rows, frozenset(titles[1:]))

    def __str__(self) -> str:
        """Returns the comparison as a table of text."""
        return plain(self.grid())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grid_html(self.grid())


def figures_grid(queries: Sequence[QueryFigures]) -> Grid:
    """Returns what queries took as a table of texts."""
    titles = ["query", "seconds", "files", "bytes"]
    rows = [
        [
            _short(each.name),
            _seconds(each.seconds),
            _files(each),
            f"{_bytes(each.bytes_read)} of {_bytes(each.bytes_total)}" if each.bytes_read is not None else _UNKNOWN,
        ]
        for each in queries
    ]
    return Grid(titles, rows, frozenset(titles[1:]))


def ratio(before: float | None, after: float | None) -> float | None:
    """Returns before divided by after; None where one is unknown, or nothing is left.

    Example:
        >>> ratio(3.0, 1.5), ratio(3, 0), ratio(0, 0), ratio(None, 1)
        (2.0, None, 1.0, None)
    """
    if before is None or after is None:
        return None
    if before == after:
        return 1.0
    return before / after if after else None


def _times(found: float | None) -> str:
    return "" if found is None else f"{decimals(found, 2 if found < 9.995 else 1)} x"


def _seconds(seconds: float) -> str:
    return f"{decimals(seconds, 2 if seconds < 9.995 else 1)} s"


def _files(figures: QueryFigures) -> str:
    return _UNKNOWN if figures.files_read is None else f"{figures.files_read:,} of {figures.files_total:,}"


def _bytes(size: int | None) -> str:
    return _UNKNOWN if size is None else human_bytes(size)


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _NAME_WIDTH else f"{line[: _NAME_WIDTH - 1]}…"
