# SPDX-License-Identifier: Apache-2.0

"""What a layout is worth, in words: as the extension's `LayoutRating` and `LayoutSharing` if every row is looked up."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from spark_zorder._numbers import decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_zorder._layout.ranges import FileRanges

_GOOD, _FAIR = 1.0 / 3, 2.0 / 3
_NEARLY_ALL = 0.9
_MOSTLY_UNKNOWN = 0.5


def verdict(ranges: FileRanges, share: float | None, axes: int, remedy: str) -> tuple[str, str]:
    """Returns the word for a layout, and why.

    Args:
        ranges: those of the column in all files.
        share: of the files that a lookup reads; None without a value.
        axes: number of columns that share the layout.
        remedy: how to get statistics.

    Example:
        >>> from spark_zorder._layout.ranges import FileRanges
        >>> verdict(FileRanges([(0, 1), (2, 3), (4, 5), (6, 7)]), 0.25, 1, "")
        ('good', 'lookups read 0.25 of files')
    """
    files, unknown = ranges.files, ranges.unknown
    if unknown == files:
        return "no statistics", remedy
    if share is None:
        return "no value", "only NULL: nothing to look up"
    if files == 1:
        return "one file", "nothing to skip"
    if ranges.is_constant and unknown == 0:
        return "constant", "nothing to skip"
    return _graded(files, unknown, share, float(files) ** (-1.0 / axes))


def _graded(files: int, unknown: int, share: float, least: float) -> tuple[str, str]:
    way = math.log(share / least) / math.log(1 / least)
    word = "poor" if share >= _NEARLY_ALL or way > _FAIR else "fair" if way > _GOOD else "good"
    if word != "good" and unknown / files >= _MOSTLY_UNKNOWN * share:
        return word, f"no statistics in {unknown} of {files} files"
    if share >= _NEARLY_ALL:
        return word, "each file has nearly all values"
    beside = f", least {_said(least)}" if share > least else " of files"
    return word, f"lookups read {_said(share)}{beside}"


def _said(share: float) -> str:
    return "<0.001" if share < 0.0005 else decimals(share, 2 if share >= 0.0995 else 3)


def sharing(clusterings: Sequence[tuple[tuple[str, ...], ...]], column: tuple[str, ...], asked: int) -> int:
    """Returns by how many columns the files are laid out, which decides what a layout can be worth for one of them.

    Args:
        clusterings: of each file that records its layout the columns.
        column: the column, by the names on its way.
        asked: number of columns that the command names.

    Example:
        >>> sharing([(("a",), ("b",))], ("a",), 1), sharing([], ("a",), 0)
        (2, 1)
    """
    by_it = [columns for columns in clusterings if column in columns]
    if by_it:
        return _most(by_it)
    if asked:
        return asked
    return _most(clusterings) if clusterings else 1


def _most(clusterings: Sequence[tuple[tuple[str, ...], ...]]) -> int:
    counts = Counter(len(columns) for columns in clusterings)
    return max(counts.items(), key=lambda each: (each[1], each[0]))[0]
