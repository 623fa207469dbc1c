# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import pytest

from common.shares import Bounds, merged, point_read_share


def test_a_value_at_a_bound_is_inside() -> None:
    units = [Bounds(0, 4), Bounds(4, 9), Bounds(10, 12), Bounds(13, 20)]
    assert point_read_share(units, [4]) == 0.5
    assert point_read_share(units, [9, 13]) == 0.25
    assert point_read_share(units, [-1, 21]) == 0


def test_unknown_units_are_read_and_units_of_null_are_not() -> None:
    assert point_read_share([None, Bounds(0, 4), Bounds(None, None)], [9]) == pytest.approx(1 / 3)


def test_nothing_to_tell_from() -> None:
    assert point_read_share([], [1]) is None
    assert point_read_share([Bounds(0, 1)], []) is None


def test_agrees_with_looking_at_every_unit() -> None:
    drawn = random.Random(4)
    ranges = [sorted(drawn.choices(range(50), k=2)) for _ in range(40)]
    lookups = drawn.choices(range(50), k=200)
    expected = sum(low <= value <= high for value in lookups for low, high in ranges) / len(lookups) / len(ranges)
    assert point_read_share([Bounds(low, high) for low, high in ranges], lookups) == pytest.approx(expected)


def test_strings_compare_as_bytes() -> None:
    assert point_read_share([Bounds(b"a", b"z"), Bounds(b"A", b"Z")], ["é".encode(), b"B"]) == 0.25


def test_merged_bounds() -> None:
    assert merged([Bounds(3, 5), Bounds(None, None), Bounds(1, 4)]) == Bounds(1, 5)
    assert merged([Bounds(None, None)]) == Bounds(None, None)
    assert merged([Bounds(3, 5), None]) is None
