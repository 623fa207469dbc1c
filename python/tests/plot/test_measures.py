# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_zorder._layout.ranges import UNKNOWN, FileRanges, estimated_read_share
from spark_zorder.plot._curves import cells_in_order, hilbert_position, z_position
from spark_zorder.plot._grid import grid_orders

BOUND = st.integers(0, 12)
RANGES = st.lists(st.tuples(BOUND, BOUND).map(lambda pair: (min(pair), max(pair))), max_size=12)


@settings(deadline=None)
@given(RANGES, st.integers(0, 3))
def test_overlaps_and_depth_are_those_of_a_count_of_every_value(ranges: list[tuple[int, int]], unknown: int) -> None:
    found = FileRanges([*ranges, *[UNKNOWN] * unknown])
    holding = {v: sum(low <= v <= high for low, high in ranges) + unknown for low, high in ranges for v in (low, high)}
    expected = [max(n for v, n in holding.items() if low <= v <= high) for low, high in ranges]
    assert found.depths == expected + [max(holding.values(), default=unknown)] * unknown
    meeting = [sum(a <= high and low <= b for a, b in ranges) - 1 + unknown for low, high in ranges]
    assert found.overlaps == meeting + [len(ranges) + unknown - 1] * unknown
    assert sum(found.depth_histogram.values()) == len(ranges) + unknown
    assert found.max_depth == max(found.depths, default=0)


def test_steps_of_the_histogram_double_after_sixteen() -> None:
    assert FileRanges([(0, 1)] * 16).depth_histogram == {16: 16}
    assert FileRanges([(0, 1)] * 17).depth_histogram == {32: 17}
    assert FileRanges([(0, 1)] * 33 + [(5, 6)]).depth_histogram == {1: 1, 64: 33}
    assert FileRanges([]).depth_histogram == {}


@settings(deadline=None)
@given(st.lists(st.tuples(BOUND, BOUND, st.integers(1, 9)), min_size=1, max_size=8), st.integers(0, 3))
def test_an_estimated_share_is_that_of_many_evenly_spread_rows(files: list[tuple[int, int, int]], unknown: int) -> None:
    spans = [(float(min(a, b)), float(max(a, b)) + 1, rows) for a, b, rows in files]
    read = rows = Fraction(0)
    for start, end, count in spans:
        # Bounds are whole, so that the depth is the same all over a step.
        places = [start + i + 0.5 for i in range(int(end - start))]
        depth = sum(sum(s <= p < e for s, e, _ in spans) + unknown for p in places)
        read += count * Fraction(depth, len(places))
        rows += count
    expected = float(read / rows / (len(files) + unknown))
    assert estimated_read_share(spans, unknown) == pytest.approx(expected)


def test_shares_of_points_and_of_nothing() -> None:
    assert estimated_read_share([(1, 1, 5), (1, 1, 5), (2, 2, 10)]) == pytest.approx((10 * 2 + 10) / 20 / 3)
    assert estimated_read_share([]) is None
    assert estimated_read_share([(0, 1, 0)]) is None


@pytest.mark.parametrize("bits", [1, 2, 3, 5])
def test_curves_go_through_each_cell_once_and_a_quarter_at_a_time(bits: int) -> None:
    side = range(1 << bits)
    z_order, hilbert = cells_in_order("zorder", bits), cells_in_order("hilbert", bits)
    assert sorted(z_order) == sorted(hilbert) == [(x, y) for x in side for y in side]
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in pairwise(hilbert))
    # A quarter of the curve is a quarter of the grid, for both.
    quarter = 1 << 2 * bits - 2
    for cells in (z_order, hilbert):
        assert len({(x >> bits - 1, y >> bits - 1) for x, y in cells[:quarter]}) == 1


def test_positions_that_the_functions_of_sql_give() -> None:
    # Hudi's RFC-28: X = 97, Y = 214 gives 1011011000101001, with Y's bit first.
    assert z_position(214, 97, 8) == 0b1011011000101001
    # HilbertCurveSuite's grid of 4 x 4, by Skilling's algorithm.
    assert cells_in_order("hilbert", 2)[:6] == [(0, 0), (1, 0), (1, 1), (0, 1), (0, 2), (0, 3)]
    assert [hilbert_position(x, y, 3) for x, y in [(0, 0), (7, 0), (7, 7), (0, 7)]] == [0, 63, 42, 21]


def test_the_grid_of_64_rows() -> None:
    linear, z_order = grid_orders()
    assert [len(order.files) for order in (linear, z_order)] == [16, 16]
    assert (len(linear.read), linear.false_positives) == (9, 21)
    assert (len(z_order.read), z_order.false_positives) == (7, 13)
    assert (linear.x.average_overlaps, linear.x.average_depth) == (1, 2)
    assert (linear.y.average_overlaps, linear.y.average_depth) == (7, 8)
    for column in (z_order.x, z_order.y):
        assert (column.average_overlaps, column.average_depth) == (3, 4)
