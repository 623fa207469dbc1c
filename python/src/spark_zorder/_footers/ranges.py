# SPDX-License-Identifier: Apache-2.0

"""The ranges of a column in all files, and how well they serve data skipping: as the extension's `FileRanges`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# A file of unknown bounds may hold every value; one that has no value, none.
UNKNOWN, NO_VALUE = "unknown", "no value"


class FileRanges:
    """The ranges of one column.

    Args:
        ranges: of each file the least and greatest key, or `UNKNOWN`, or `NO_VALUE`.

    Example:
        >>> ranges = FileRanges([(0, 10), (5, 20), UNKNOWN])
        >>> [ranges.depth_at(value) for value in (0, 7, 30)], ranges.max_depth, ranges.average_overlaps
        ([2, 3, 1], 3, 2.0)
    """

    def __init__(self, ranges: Sequence[Any]) -> None:
        self._ranges = ranges
        within = [each for each in ranges if not isinstance(each, str)]
        self._lows = sorted(low for low, _ in within)
        self._highs = sorted(high for _, high in within)
        self.files = len(ranges)
        self.unknown = sum(1 for each in ranges if each == UNKNOWN)

    @property
    def is_constant(self) -> bool:
        """Whether all known bounds are one value."""
        return bool(self._lows) and self._lows[0] == self._highs[-1]

    def depth_at(self, key: Any) -> int:  # noqa: ANN401
        """Returns the number of files that may hold a key."""
        return bisect_right(self._lows, key) - bisect_left(self._highs, key) + self.unknown

    @property
    def average_overlaps(self) -> float:
        """The mean number of other files whose range meets a file's own."""
        return _average([self._overlaps(each) for each in self._ranges])

    def _overlaps(self, each: Any) -> int:  # noqa: ANN401
        if each == NO_VALUE:
            return 0
        if each == UNKNOWN:
            return len(self._lows) + self.unknown - 1
        low, high = each
        return bisect_right(self._lows, high) - bisect_left(self._highs, low) - 1 + self.unknown

    @cached_property
    def _depths(self) -> list[int]:
        # Coverage only grows at a low, so the deepest value of a range is one of the lows in it.
        points = sorted(set(self._lows))
        maxima = _levels([self.depth_at(point) for point in points])
        return [self._depth(each, points, maxima) for each in self._ranges]

    def _depth(self, each: Any, points: list[Any], maxima: list[list[int]]) -> int:  # noqa: ANN401
        if each == NO_VALUE:
            return 1
        if each == UNKNOWN:
            return _maximum(maxima, 0, len(points)) if points else self.unknown
        return _maximum(maxima, bisect_left(points, each[0]), bisect_right(points, each[1]))

    @property
    def average_depth(self) -> float:
        """The mean of the files' depths: the most files, itself included, that share a value of a file's range."""
        return _average(self._depths)

    @property
    def max_depth(self) -> int:
        """The largest depth."""
        return max(self._depths, default=0)

    @property
    def depth_histogram(self) -> dict[int, int]:
        """Files by depth: 0 to 16 one by one, then up to 32, 64, 128 ...; by the upper end of each step."""
        counts: dict[int, int] = {}
        for depth in self._depths:
            step = depth if depth <= 16 else 1 << (depth - 1).bit_length()
            counts[step] = counts.get(step, 0) + 1
        return dict(sorted(counts.items()))


def _average(of: Sequence[int]) -> float:
    return sum(of) / len(of) if of else 0.0


def _levels(values: list[int]) -> list[list[int]]:
    """A sparse table: level k has the maximum of the 2 ** k values from each position on."""
    levels, width = [values], 1
    while len(levels[-1]) > width:
        last = levels[-1]
        levels.append([max(last[i], last[i + width]) for i in range(len(last) - width)])
        width *= 2
    return levels


def _maximum(levels: list[list[int]], start: int, end: int) -> int:
    level = (end - start).bit_length() - 1
    return max(levels[level][start], levels[level][end - (1 << level)])
