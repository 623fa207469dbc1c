# SPDX-License-Identifier: Apache-2.0

"""Tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """A table with its columns aligned in the source too.

    Args:
        heads: the first line.
        rows: the others, each as long.
        left: the columns that are not aligned to the right.
    """
    widths = [max(3, *(len(row[i]) for row in [heads, *rows])) for i in range(len(heads))]
    rule = ["-" * width if i in left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines = [
        [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in [heads, rule, *rows]
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 0, unit: float = 1) -> str:
    """A number with thousands separated, a dash for None.

    Example:
        >>> number(1234567, 1, 1000)
        '1,234.6'
    """
    return "-" if value is None else f"{value / unit:,.{digits}f}"
