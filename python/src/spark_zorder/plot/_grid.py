# SPDX-License-Identifier: Apache-2.0

"""What a query reads of a grid of 8 x 8 rows in two orders, for teaching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_zorder._layout.ranges import FileRanges
from spark_zorder.plot._curves import cells_in_order
from spark_zorder.plot._style import AFTER, GRID, INK, finish, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType
    from plotly.graph_objects import Figure


@dataclass(frozen=True)
class GridOrder:
    """A grid of 8 x 8 cells, one row each, in 16 files of 4 rows, and what `x = 2 OR y = 3` reads of it.

    Attributes:
        name: the order of the rows.
        files: per file its cells (x, y).
        read: numbers of the files that the query reads by their ranges.
        false_positives: rows in these files that the query does not select.
        x: overlaps and depth by x.
        y: overlaps and depth by y.
    """

    name: str
    files: Sequence[Sequence[tuple[int, int]]]
    read: Sequence[int]
    false_positives: int
    x: FileRanges
    y: FileRanges


_BITS, _ROWS_PER_FILE, _X, _Y = 3, 4, 2, 3


def grid_orders() -> list[GridOrder]:
    """Works out the example of `grid_example`: the linear order by x and y, and the z-order.

    Example:
        >>> [(order.name, len(order.read), order.false_positives) for order in grid_orders()]
        [('linear order', 9, 21), ('z-order', 7, 13)]
    """
    z_order = cells_in_order("zorder", _BITS)
    return [_order("linear order", sorted(z_order)), _order("z-order", z_order)]


def _order(name: str, cells: Sequence[tuple[int, int]]) -> GridOrder:
    files = [cells[i : i + _ROWS_PER_FILE] for i in range(0, len(cells), _ROWS_PER_FILE)]
    bounds = [[(min(values), max(values)) for values in zip(*file, strict=True)] for file in files]
    read = [i for i, (x, y) in enumerate(bounds) if x[0] <= _X <= x[1] or y[0] <= _Y <= y[1]]
    rows = [cell for i in read for cell in files[i]]
    return GridOrder(
        name,
        files,
        read,
        sum(x != _X and y != _Y for x, y in rows),
        FileRanges([x for x, _ in bounds]),
        FileRanges([y for _, y in bounds]),
    )


def grid_example() -> Figure:
    """Draws what `x = 2 OR y = 3` reads of a grid of 8 x 8 rows in 16 files, in linear order beside z-order.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
    """
    plotly("graph_objects")
    return draw_grids(grid_orders())


def draw_grids(orders: Sequence[GridOrder]) -> Figure:
    """Draws the orders side by side."""
    titles = [f"{grid_result(o)}<br><span style='font-size:12px'>{grid_measures(o)}</span>" for o in orders]
    figure = plotly("subplots").make_subplots(cols=len(orders), horizontal_spacing=0.08, subplot_titles=titles)
    for col, order in enumerate(orders, 1):
        figure.add_trace(_file_bars(order), row=1, col=col)
        figure.add_trace(_row_marks(order), row=1, col=col)
        anchor = "x" if col == 1 else f"x{col}"
        looks = {"range": [-0.6, 7.6], "dtick": 1, "showgrid": False, "constrain": "domain"}
        figure.update_xaxes(title="x", **looks, row=1, col=col)
        figure.update_yaxes(title="y" if col == 1 else None, scaleanchor=anchor, **looks, row=1, col=col)
    figure.update_layout(showlegend=False, barmode="overlay")
    description = "A grid of 8 by 8 rows in 16 files of 4. " + " ".join(map(grid_text, orders))
    return finish(
        figure,
        "What x = 2 OR y = 3 reads",
        "Each outlined block is a file of 4 rows; filled: read. Full dots are selected, rings are false positives.",
        description,
        height=400,
        room_above=44,
    )


def grid_result(order: GridOrder) -> str:
    """What the query reads in an order, in a few words."""
    return f"{order.name}: {len(order.read)} files read, {order.false_positives} false positives"


def grid_measures(order: GridOrder) -> str:
    """Average overlaps and depth of both columns, in a few words."""
    parts = (f"{c} {d.average_overlaps:g} and {d.average_depth:g}" for c, d in (("x", order.x), ("y", order.y)))
    return f"average overlaps and depth: {', '.join(parts)}"


def grid_text(order: GridOrder) -> str:
    """A sentence with the numbers of an order."""
    return (
        f"In {order.name} the query x = 2 OR y = 3 reads {len(order.read)} of {len(order.files)} files, with "
        f"{order.false_positives} rows that it does not select; average overlaps and depth are "
        f"{order.x.average_overlaps:g} and {order.x.average_depth:g} for x, {order.y.average_overlaps:g} and "
        f"{order.y.average_depth:g} for y."
    )


def _file_bars(order: GridOrder) -> BaseTraceType:
    boxes = [[(min(v), max(v)) for v in zip(*file, strict=True)] for file in order.files]
    gap = 0.06
    return plotly("graph_objects").Bar(
        x=[(x[0] + x[1]) / 2 for x, _ in boxes],
        width=[x[1] - x[0] + 1 - 2 * gap for x, _ in boxes],
        base=[y[0] - 0.5 + gap for _, y in boxes],
        y=[y[1] - y[0] + 1 - 2 * gap for _, y in boxes],
        marker={
            "color": ["rgba(30,131,201,0.35)" if i in order.read else "rgba(0,0,0,0)" for i in range(len(boxes))],
            "line": {"color": [AFTER if i in order.read else GRID for i in range(len(boxes))], "width": 2},
        },
        hovertext=[
            f"<b>file {i}</b>: {'read' if i in order.read else 'skipped'}<br>x {x[0]} to {x[1]}, y {y[0]} to {y[1]}"
            for i, (x, y) in enumerate(boxes)
        ],
        hoverinfo="text",
    )


def _row_marks(order: GridOrder) -> BaseTraceType:
    cells = [(x, y, i in order.read) for i, file in enumerate(order.files) for x, y in file]
    selected = [x == _X or y == _Y for x, y, _ in cells]
    return plotly("graph_objects").Scatter(
        x=[x for x, _, _ in cells],
        y=[y for _, y, _ in cells],
        mode="markers",
        marker={
            "opacity": 1,
            "symbol": ["circle" if s else "circle-open" for s in selected],
            "size": [11 if s else 8 if read else 4 for s, (_, _, read) in zip(selected, cells, strict=True)],
            "color": [AFTER if s or read else INK for s, (_, _, read) in zip(selected, cells, strict=True)],
            "line": {"width": 1.5},
        },
        hoverinfo="skip",
    )
