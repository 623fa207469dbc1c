# SPDX-License-Identifier: Apache-2.0

"""Cuts texts as DESCRIBE LAYOUT does, so that its table fits a terminal of 120 characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_zorder._footers.doubt import NotCertain
from spark_zorder._footers.text import double

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WIDTH = 120
# A name must stay recognizable; of a bound, a date and that there is more.
_LEAST_NAME, _LEAST_BOUND = 8, 11


def fitted(
    names: Sequence[str], rows: Sequence[Sequence[Any]], *, bounds: Sequence[str], bound_width: int
) -> list[list[Any]]:
    """Returns rows whose first column and bounds are cut as far as that is needed.

    Args:
        names: of the columns.
        rows: values, one for each.
        bounds: the columns whose texts are cut at their ends.
        bound_width: characters of such a text, in any case.

    Raises:
        NotCertain: a text has characters of which Spark tells the width.
    """
    cut = [list(row) for row in rows]
    if any(isinstance(cell, str) and not (cell.isascii() and cell.isprintable()) for row in cut for cell in row):
        raise NotCertain("a text is not all of plain characters")
    places = [names.index(name) for name in bounds]
    for row in cut:
        for place in places:
            row[place] = None if row[place] is None else _end(row[place], bound_width)
    _shrink(names, cut, 0, _LEAST_NAME, _inside)
    for place in places:
        _shrink(names, cut, place, _LEAST_BOUND, _end)
    return cut


def _shrink(
    names: Sequence[str], rows: list[list[Any]], column: int, least: int, cut: Callable[[str, int], str]
) -> None:
    def width(i: int) -> int:
        return max(len(names[i]), *(len(_printed(row[i])) for row in rows))

    others = sum(width(i) for i in range(len(names)) if i != column) + len(names) + 1
    room = max(least, _WIDTH - others)
    for row in rows:
        if row[column] is not None:
            row[column] = cut(row[column], room)


def _printed(value: object) -> str:
    if value is None:
        return "null"
    return double(value) if isinstance(value, float) else str(value)


def _end(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _inside(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"
