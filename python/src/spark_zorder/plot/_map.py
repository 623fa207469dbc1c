# SPDX-License-Identifier: Apache-2.0

"""The map of a table's files by two columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spark_zorder._layout.extents import axis_of
from spark_zorder._numbers import tenths
from spark_zorder.plot._cells import cell_trace, cells_of, color_bar
from spark_zorder.plot._outline import has_outline, is_map, within
from spark_zorder.plot._rectangles import rectangles
from spark_zorder.plot._states import State, check_bounds, states_of, table_name, unknown_text
from spark_zorder.plot._style import finish, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType
    from plotly.graph_objects import Figure

    from spark_zorder._layout.axis import Axis
    from spark_zorder._layout.source import Source

# More rectangles than these are no longer seen one by one; the map then counts files cell by cell.
MOST_FILES = 1000
_HEIGHT = 380
_COAST = "rgba(118,118,118,0.9)"
_BORDER = "rgba(118,118,118,0.45)"


def extent_map(before: Source, after: Source | None = None, *, x: str, y: str, outline: bool | None = None) -> Figure:
    """Draws each file as the rectangle of its bounds by two columns: the less they overlap, the fewer a query reads.

    Up to 1,000 files are drawn one by one; of more, the map shows how many files each of its cells meets.

    Args:
        before: a `ZOrderTable`, `extents(...)`, or the rows of `DESCRIBE LAYOUT EXTENDED` as a DataFrame.
        after: the same for a second state, drawn beside the first on the same axes; None draws one map.
        x: the column of the horizontal axis.
        y: the column of the vertical axis.
        outline: whether to draw coasts and borders, for longitude and latitude in degrees; None decides by the columns'
            names and values, and draws none on a map of less than two degrees, of a city, say.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no files (`ZORDER_NO_FILES`), no bounds of a column (`ZORDER_NO_BOUNDS`), or as `extents`.

    Example:
        >>> extent_map(before, table, x="dest_lon", y="dest_lat").show()  # doctest: +SKIP
    """
    plotly("graph_objects")
    states = states_of(before, after, [x, y], measured=False)
    x, y = states[-1].extents.columns
    check_bounds(states, x, y)
    return draw_map(states, axis_of_states(x, states), axis_of_states(y, states), outline=outline)


def axis_of_states(column: str, states: Sequence[State]) -> Axis:
    """The axis of a column that all states share."""
    return axis_of(column, [state.extents for state in states])


def draw_map(
    states: Sequence[State],
    x: Axis,
    y: Axis,
    *,
    outline: bool | None = None,
    most_files: int = MOST_FILES,
    compared: Sequence[State] | None = None,
) -> Figure:
    """Draws the states side by side.

    Args:
        states: what to draw.
        x: the horizontal axis.
        y: the vertical axis.
        outline: as for `extent_map`.
        most_files: of more files in a state, all show their number in each cell.
        compared: the states that this figure is looked at beside, for the same colours; None: these.
    """
    in_degrees = is_map(x, y) if outline is None else outline
    with_outline = has_outline(x, y) if outline is None else outline
    drawn = {s.label: s.extents.with_bounds(x.column, y.column) for s in compared or states}
    in_cells = max(map(len, drawn.values())) > most_files
    cells = {label: cells_of(files, x, y) for label, files in drawn.items()} if in_cells else {}
    deepest = max((count for grid in cells.values() for row in grid for count in row), default=0)
    figure = plotly("subplots").make_subplots(
        cols=len(states),
        # Axes that keep a ratio cannot be shared as well; they have the same range anyway.
        shared_yaxes=not in_degrees,
        horizontal_spacing=0.06,
        subplot_titles=[s.label for s in states],
    )
    for col, state in enumerate(states, 1):
        if in_cells:
            figure.add_trace(cell_trace(state, cells[state.label], deepest, x, y), row=1, col=col)
        else:
            figure.add_trace(rectangles(state, drawn[state.label], x, y), row=1, col=col)
        for trace in outline_traces(x, y) if with_outline else ():
            figure.add_trace(trace, row=1, col=col)
        figure.update_xaxes(**x.layout(len(states)), row=1, col=col)
        figure.update_yaxes(**y.layout(), row=1, col=col)
        if col > 1:
            figure.update_yaxes(title=None, showticklabels=False, row=1, col=col)
    if in_cells:
        figure.add_trace(color_bar(deepest))
    figure.update_layout(barmode="overlay", showlegend=False)
    height = keep_shape(figure, len(states), x, y) if in_degrees else _HEIGHT
    title = f"Files of {table_name(states)} by {x.column} and {y.column}"
    subtitle = _subtitle(states, x, y, most_files if in_cells else None)
    return finish(figure, title, subtitle, _description(states, x, y), height=height, room_above=24)


def keep_shape(figure: Figure, panels: int, x: Axis, y: Axis) -> int:
    """Gives the axes the ratio of a map, and returns the height that leaves nothing empty at a usual width."""
    # A degree of longitude is shorter than one of latitude, by the cosine of the latitude.
    ratio = 1 / max(0.2, math.cos(math.radians((y.low + y.high) / 2)))
    for col in range(1, panels + 1):
        anchor = "x" if col == 1 else f"x{col}"
        figure.update_yaxes(scaleanchor=anchor, scaleratio=ratio, constrain="domain", row=1, col=col)
    figure.update_xaxes(constrain="domain")
    shape = (y.high - y.low) * ratio / (x.high - x.low)
    return round(min(1.6 * _HEIGHT, max(0.6 * _HEIGHT, 860 / panels * shape)) + 60)


def _subtitle(states: Sequence[State], x: Axis, y: Axis, exceeded: int | None) -> str:
    what = (
        "Each rectangle is a file. The less they overlap, the fewer a query reads."
        if exceeded is None
        else f"The fuller the colour, the more files reach into a cell (over {exceeded:,} files: not drawn one by one)."
    )
    return " ".join(filter(None, [what, unknown_text(states, x.column, y.column)]))


def _description(states: Sequence[State], x: Axis, y: Axis) -> str:
    parts = []
    for state in states:
        depths = [state.extents.depths(column).average_depth for column in (x.column, y.column)]
        parts.append(
            f"{state.files_text}; a file shares a value of {x.column} with up to {tenths(depths[0])} files on average, "
            f"itself included, and a value of {y.column} with up to {tenths(depths[1])}."
        )
    return f"Map of file extents, {x.column} to the right and {y.column} up. " + " ".join(parts)


def outline_traces(x: Axis, y: Axis) -> list[BaseTraceType]:
    """Coasts and borders around what the axes show."""
    room_x, room_y = (x.high - x.low) / 2 + 1, (y.high - y.low) / 2 + 1
    box = (x.low - room_x, x.high + room_x, y.low - room_y, y.high + room_y)
    traces = []
    for kind, color in (("borders", _BORDER), ("coasts", _COAST)):
        xs, ys = within(kind, *box)
        line = {"color": color, "width": 1}
        traces.append(plotly("graph_objects").Scatter(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip", name=kind))
    return traces
