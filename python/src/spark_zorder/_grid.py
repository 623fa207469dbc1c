# SPDX-License-Identifier: Apache-2.0

"""Results as people read them: rows of text, with units, for terminals and notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Row

from spark_zorder._numbers import human_bytes, percent

_SIZES = ("bytes", "size")


@dataclass(frozen=True)
class Grid:
    """A table of texts.

    Attributes:
        columns: names, for people.
        rows: as many texts each.
        numbers: which columns are numbers, and so stand at the right.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[str] = frozenset()


def grid_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """Returns rows of a result as a grid; columns of maps and structs, which are for programs, are left out.

    Args:
        columns: the result's columns. The unit of a column is told by the words of its name: `bytes` and `size` are
            in bytes, `share` is a share of one, `seconds` are seconds. Of a pair `x_read` and `x_total` one column is
            made, `x`: `3 of 48`.
        rows: values in the order of the columns.
    """
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    kept = [c for c in columns if not any(isinstance(row[c], (Row, Mapping)) for row in named)]
    pairs = {
        c.removesuffix("_total") for c in kept if c.endswith("_total") and c.removesuffix("_total") + "_read" in kept
    }
    titles: dict[str, list[str]] = {}
    numbers = set()
    for column in kept:
        base, _, end = column.rpartition("_")
        if base in pairs and end == "read":
            continue
        paired = base in pairs and end == "total"
        title = (base if paired else column.removesuffix("_total")).replace("_", " ")
        titles[title] = [
            _pair(base, row[f"{base}_read"], row[column]) if paired else text(column, row[column]) for row in named
        ]
        if any(isinstance(row[column], (int, float)) for row in named):
            numbers.add(title)
    return Grid(list(titles), [list(cells) for cells in zip(*titles.values(), strict=True)], frozenset(numbers))


def plain(grid: Grid) -> str:
    """Returns a grid as aligned columns with two spaces between them, one line a row, whatever its width.

    Example:
        >>> print(plain(Grid(["column", "files"], [["a", "7"], ["bc", "12"]], frozenset({"files"}))))
        column  files
        a           7
        bc         12
    """
    lines = [list(grid.columns), *([" ".join(cell.split()) for cell in row] for row in grid.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(grid.columns))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if name in grid.numbers else cell.ljust(width)
            for cell, width, name in zip(line, widths, grid.columns, strict=True)
        ).rstrip()
        for line in lines
    )


def _pair(name: str, read: object, total: object) -> str:
    return "unknown" if total is None else f"{text(name, read) or '?'} of {text(name, total)}"


def text(name: str, value: object) -> str:
    """Returns a value for people.

    Example:
        >>> text("bytes", 12_400_000), text("point_read_share", 0.25), text("rows", 10_000_000), text("min", None)
        ('12.4 MB', '25 %', '10,000,000', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    words = name.split("_")
    if isinstance(value, (int, float)) and math.isfinite(value):
        return _number(words, value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return ", ".join(text(name, item) for item in value)
    return str(value)


def _number(words: Sequence[str], value: float) -> str:
    if any(word in _SIZES for word in words):
        return human_bytes(value)
    if "share" in words:
        return percent(value)
    if "seconds" in words:
        return f"{value:,.1f} s"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
