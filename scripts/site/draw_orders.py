# SPDX-License-Identifier: Apache-2.0

"""Drawings of orders: curves through small grids, a query over a grid, ranks, cuts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from grid import Box, Grid, hilbert, linear, zorder
from svg import DIM, INK, RULE, A, B, C, D, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grid import Cell

QUERY = (2, 3)


def curves() -> Sheet:
    """Three orders of 8 x 8 cells as lines."""
    sheet = Sheet(760, 290, "Linear order, z-order curve and Hilbert curve through a grid of 8 by 8 cells")
    for number, (name, order) in enumerate((("Linear", linear), ("Z-order", zorder), ("Hilbert", hilbert))):
        left = 20 + 250 * number
        sheet.text(left, 22, name, kind="head")
        _cells(sheet, left, 36, 28, 8)
        _curve(sheet, Grid(order), left, 36, 28, A)
    return sheet


def orders() -> Sheet:
    """The query `x = 2 OR y = 3` on the grid in 16 files, by a linear order and by the z-order."""
    sheet = Sheet(
        760, 450, "Files that the query x = 2 OR y = 3 reads of a grid in 16 files: 9 by a linear order, 7 by z-order"
    )
    for number, (name, order) in enumerate((("SORT BY x, y", linear), ("ZORDER BY (x, y)", zorder))):
        left, top, cell = 40 + 380 * number, 44, 38
        grid = Grid(order)
        read = grid.read(*QUERY)
        sheet.text(left, 24, name, kind="head")
        for cells, is_read in zip(grid.files, read, strict=True):
            for x, y in cells:
                wanted = x == QUERY[0] or y == QUERY[1]
                fill, opacity = (A, 0.75) if wanted else (B, 0.4) if is_read else (RULE, 0.15)
                sheet.rectangle(left + x * cell, top + (7 - y) * cell, cell, cell, fill=fill, opacity=opacity)
        _borders(sheet, grid.boxes, left, top, cell)
        for value in range(8):
            sheet.text(left + value * cell + cell / 2, top + 8 * cell + 16, str(value), kind="dim", anchor="middle")
            sheet.text(left - 8, top + (7 - value) * cell + cell / 2 + 4, str(value), kind="dim", anchor="end")
        (overlaps_x, depth_x), (overlaps_y, depth_y) = grid.overlaps_and_depth("x"), grid.overlaps_and_depth("y")
        below = top + 8 * cell + 42
        sheet.text(left, below, f"reads {sum(read)} of 16 files, {grid.false_positives(*QUERY)} rows in vain")
        sheet.text(left, below + 18, f"x: overlaps {overlaps_x:.0f}, depth {depth_x:.0f}", kind="dim")
        sheet.text(left + 160, below + 18, f"y: overlaps {overlaps_y:.0f}, depth {depth_y:.0f}", kind="dim")
    sheet.rectangle(40, 428, 14, 14, fill=A, opacity=0.75)
    sheet.text(60, 440, "rows that match x = 2 OR y = 3", kind="dim")
    sheet.rectangle(280, 428, 14, 14, fill=B, opacity=0.4)
    sheet.text(300, 440, "rows read in vain", kind="dim")
    sheet.rectangle(440, 428, 14, 14, fill=RULE, opacity=0.15, stroke=DIM)
    sheet.text(460, 440, "files that are skipped", kind="dim")
    return sheet


def ranks() -> Sheet:
    """Values of a skewed column, cut evenly by value and evenly by rank."""
    sheet = Sheet(760, 330, "A skewed column cut in eight by its values and by its ranks")
    heights = [120 * 0.93**step + 2 for step in range(72)]
    total = sum(heights)
    for number, (name, note) in enumerate(
        (
            ("Raw values", "even ranges of values: the first range holds nearly half of the rows"),
            ("Ranks", "even shares of the rows: each range holds an eighth of them"),
        )
    ):
        top = 40 + 150 * number
        floor = top + 96
        sheet.text(20, top - 14, name, kind="head")
        sheet.text(120, top - 14, note, kind="dim")
        seen = 0.0
        for step, height in enumerate(heights):
            part = step // 9 if number == 0 else int(8 * seen / total)
            sheet.rectangle(
                20 + 10 * step, floor - height * 0.8, 9, height * 0.8, fill=A if part % 2 == 0 else B, opacity=0.65
            )
            seen += height
        sheet.line([(20, floor), (740, floor)], stroke=DIM)
    sheet.text(20, 308, "small values", kind="dim")
    sheet.text(740, 308, "large values", kind="dim", anchor="end")
    sheet.text(380, 308, "height: rows of a value", kind="dim", anchor="middle")
    return sheet


def cuts() -> Sheet:
    """The z-order curve through a grid in six files, cut by counts and at borders of cells."""
    sheet = Sheet(760, 400, "Files cut after even numbers of rows, and files cut at the borders of curve cells")
    grid = Grid(zorder)
    ways = (
        ("Cut after even numbers of rows", [0, 11, 22, 33, 43, 54, 64]),
        ("Cut at borders of cells", [0, 12, 20, 32, 44, 52, 64]),
    )
    for number, (name, bounds) in enumerate(ways):
        left, top, cell = 30 + 380 * number, 40, 34
        files = [grid.path[a:b] for a, b in pairwise(bounds)]
        sheet.text(left, 22, name, kind="head")
        for place, cells in enumerate(files):
            for x, y in cells:
                colour = (A, B, C, D, DIM, RULE)[place]
                sheet.rectangle(left + x * cell, top + (7 - y) * cell, cell, cell, fill=colour, opacity=0.35)
        _curve(sheet, grid, left, top, cell, INK, width=1)
        boxes = [_box(cells) for cells in files]
        sides = [(b.x[1] - b.x[0] + 1, b.y[1] - b.y[0] + 1) for b in boxes]
        widest = boxes[max(range(len(boxes)), key=lambda place: sum(sides[place]))]
        _borders(sheet, [widest], left, top, cell)
        share = sum(map(sum, sides)) / (8 * 2 * len(boxes))
        sheet.text(left, top + 8 * cell + 24, f"a point lookup reads {share:.0%} of the files")
        sizes = ", ".join(str(b - a) for a, b in pairwise(bounds))
        sheet.text(left, top + 8 * cell + 42, f"rows in files: {sizes}", kind="dim")
    sheet.text(30, 388, "colours: files; outlined: the bounds of the widest of them", kind="dim")
    return sheet


def _box(cells: Sequence[Cell]) -> Box:
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    return Box((min(xs), max(xs)), (min(ys), max(ys)))


def _cells(sheet: Sheet, left: float, top: float, cell: float, side: int) -> None:
    for x in range(side):
        for y in range(side):
            sheet.rectangle(left + x * cell, top + y * cell, cell, cell, stroke=RULE, line=0.5)


def _borders(sheet: Sheet, boxes: Sequence[Box], left: float, top: float, cell: float) -> None:
    for box in boxes:
        (low_x, high_x), (low_y, high_y) = box.x, box.y
        sheet.rectangle(
            left + low_x * cell + 1.5,
            top + (7 - high_y) * cell + 1.5,
            (high_x - low_x + 1) * cell - 3,
            (high_y - low_y + 1) * cell - 3,
            stroke=INK,
            line=1.5,
            radius=4,
        )


def _curve(sheet: Sheet, grid: Grid, left: float, top: float, cell: float, stroke: str, width: float = 2) -> None:
    last = grid.side - 1
    sheet.line(
        [(left + (x + 0.5) * cell, top + (last - y + 0.5) * cell) for x, y in grid.path], stroke=stroke, width=width
    )


DRAWINGS: dict[str, Callable[[], Sheet]] = {"curves": curves, "orders": orders, "ranks": ranks, "cuts": cuts}
