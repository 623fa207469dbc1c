# SPDX-License-Identifier: Apache-2.0

"""The share of files, row groups or pages that a point lookup reads, as the reference model defines it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Value: TypeAlias = "int | float | bytes"


@dataclass(frozen=True)
class Bounds:
    """The smallest and largest value of a file, row group or page; both None if it holds no value but NULL."""

    low: Value | None
    high: Value | None


# None stands for a unit whose statistics are unknown.
Unit: TypeAlias = "Bounds | None"


def merged(units: Iterable[Unit]) -> Unit:
    """The bounds of a unit that consists of these."""
    low: Value | None = None
    high: Value | None = None
    for unit in units:
        if unit is None:
            return None
        if unit.low is not None and unit.high is not None:
            low = unit.low if low is None else min(low, unit.low)
            high = unit.high if high is None else max(high, unit.high)
    return Bounds(low, high)


def point_read_share(units: Sequence[Unit], lookups: Sequence[Value]) -> float | None:
    """The mean over the values of the share of units whose range holds the value.

    A unit with unknown statistics is read every time, one that holds nothing but NULL never.

    Args:
        units: all units of the table.
        lookups: values drawn from its rows.

    Returns:
        0 to 1; None without units or values.

    Example:
        >>> point_read_share([Bounds(0, 4), Bounds(5, 9), None], [1, 6])
        0.6666666666666666
    """
    if not units or not lookups:
        return None
    known = [unit for unit in units if unit is not None]
    lows = sorted(unit.low for unit in known if unit.low is not None)
    highs = sorted(unit.high for unit in known if unit.high is not None)
    unknown = len(units) - len(known)
    # A range whose end lies below the value began below it too.
    read = sum(unknown + bisect_right(lows, value) - bisect_left(highs, value) for value in lookups)
    return read / len(lookups) / len(units)
