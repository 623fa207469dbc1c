# SPDX-License-Identifier: Apache-2.0

"""The ranges of a column in all files, and how well they serve data skipping: as the extension's `FileRanges`.

A table is asked for these by `describe_layout`. They are worked out here where there is no session (footers of files,
rows from elsewhere, the example of a grid), and where its answer would cost a job over the rows (figures, cards).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# A file of unknown bounds may hold every value; one that has no value, none.
UNKNOWN, NO_VALUE = "unknown", "no value"
# Depths are counted one by one up to here, and in steps that double after it.
ONE_BY_ONE = 16


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
    def overlaps(self) -> list[int]:
        """Of each file the number of other files whose range meets its own."""
        return [self._overlaps(each) for each in self._ranges]

    @property
    def average_overlaps(self) -> float:
        """The mean of the overlaps; 0 without files."""
        return _average(self.overlaps)

    def _overlaps(self, each: Any) -> int:  # noqa: ANN401
        if each == NO_VALUE:
            return 0
        if each == UNKNOWN:
            return len(self._lows) + self.unknown - 1
        low, high = each
        return bisect_right(self._lows, high) - bisect_left(self._highs, low) - 1 + self.unknown

    @cached_property
    def depths(self) -> list[int]:
        """Of each file the most files, itself included, that share a value of its range."""
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
        """The mean of the depths; 0 without files."""
        return _average(self.depths)

    @property
    def max_depth(self) -> int:
        """The largest depth; 0 without files."""
        return max(self.depths, default=0)

    @property
    def depth_histogram(self) -> dict[int, int]:
        """Files by depth: 0 to 16 one by one, then up to 32, 64, 128 ...; by the upper end of each step."""
        counts = Counter(depth if depth <= ONE_BY_ONE else 1 << (depth - 1).bit_length() for depth in self.depths)
        return dict(sorted(counts.items()))

    @property
    def histogram(self) -> dict[int, int]:
        """The same as `depth_histogram`: the name that `Extents.depths` has for it."""
        return self.depth_histogram


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


def estimated_read_share(spans: Sequence[tuple[float, float, int]], unknown: int = 0) -> float | None:
    """Returns the share of the files that a point lookup reads if each file's rows lie evenly in its range.

    Args:
        spans: per file of known range where it starts and ends on an axis, and its number of rows.
        unknown: number of files of unknown range; they are always read, and nothing is looked up for their rows.

    Returns:
        A share from 0 to 1; None without rows.

    Example:
        >>> estimated_read_share([(0, 2, 10), (1, 3, 10)])
        0.75
    """
    starts, ends = sorted(s for s, _, _ in spans), sorted(e for _, e, _ in spans)
    points = sorted({*starts, *ends})
    # Up to each point, the integral of the number of files that are open.
    area = [0.0]
    for left, right in pairwise(points):
        open_files = bisect_right(starts, left) - bisect_right(ends, left)
        area.append(area[-1] + open_files * (right - left))
    place = {point: i for i, point in enumerate(points)}
    rows = read = 0.0
    for start, end, count in spans:
        if end > start:
            depth = (area[place[end]] - area[place[start]]) / (end - start)
        else:
            depth = bisect_right(starts, start) - bisect_left(ends, start)
        rows += count
        read += count * (depth + unknown)
    return read / rows / (len(spans) + unknown) if rows else None
