# SPDX-License-Identifier: Apache-2.0

"""Overlaps and depth of files by their ranges, as `DESCRIBE LAYOUT` defines them, for rows that came without it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# Depths are counted one by one up to here, and in steps that double after it.
ONE_BY_ONE = 16
DEPTH_STEPS = [*range(ONE_BY_ONE + 1), *(1 << power for power in range(5, 63))]


@dataclass(frozen=True)
class Depths:
    """Overlaps and depth of each file, in the order of the ranges; files of unknown range come last.

    Attributes:
        overlaps: number of other files whose range meets the file's own.
        depths: the largest number of files, itself included, that share a value of the file's range.
    """

    overlaps: list[int]
    depths: list[int]

    @property
    def average_overlaps(self) -> float:
        """The mean over the files; 0 without files."""
        return sum(self.overlaps) / len(self.overlaps) if self.overlaps else 0.0

    @property
    def average_depth(self) -> float:
        """The mean over the files; 0 without files."""
        return sum(self.depths) / len(self.depths) if self.depths else 0.0

    @property
    def max_depth(self) -> int:
        """The greatest depth; 0 without files."""
        return max(self.depths, default=0)

    @property
    def histogram(self) -> dict[int, int]:
        """Number of files by depth, in the steps of `DESCRIBE LAYOUT`, the least depth first."""
        steps = Counter(depth if depth <= ONE_BY_ONE else 1 << (depth - 1).bit_length() for depth in self.depths)
        return dict(sorted(steps.items()))


def depths_of(ranges: Sequence[tuple[Any, Any]], unknown: int = 0) -> Depths:
    """Returns overlaps and depth of files.

    Args:
        ranges: the least and the greatest key of each file, both included.
        unknown: number of files of unknown range, which count as holding every value.

    Example:
        >>> depths_of([(1, 3), (2, 5), (6, 7)])
        Depths(overlaps=[1, 1, 0], depths=[2, 2, 1])
    """
    lows, highs = sorted(low for low, _ in ranges), sorted(high for _, high in ranges)
    overlaps = [bisect_right(lows, high) - bisect_left(highs, low) - 1 + unknown for low, high in ranges]
    # Coverage only grows at a low, so the deepest value of a range is its own low or one of the lows inside it.
    points = sorted(set(lows))
    maxima = _RangeMaximum([bisect_right(lows, p) - bisect_left(highs, p) + unknown for p in points])
    depths = [maxima.of(bisect_left(points, low), bisect_right(points, high)) for low, high in ranges]
    everywhere = maxima.of(0, len(points)) if points else unknown
    return Depths(overlaps + [len(ranges) + unknown - 1] * unknown, depths + [everywhere] * unknown)


class _RangeMaximum:
    """Maxima of slices of a list in constant time each: a sparse table, as in the extension's `FileRanges`."""

    def __init__(self, values: list[int]) -> None:
        self._levels = [values]
        width = 1
        while 2 * width <= len(values):
            last = self._levels[-1]
            self._levels.append([max(last[i], last[i + width]) for i in range(len(values) - 2 * width + 1)])
            width *= 2

    def of(self, start: int, end: int) -> int:
        level = (end - start).bit_length() - 1
        return max(self._levels[level][start], self._levels[level][end - (1 << level)])


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
