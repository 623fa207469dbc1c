# SPDX-License-Identifier: Apache-2.0

"""The map of a table's files by two columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spark_zorder.plot._axis import Axis, axis_of
from spark_zorder.plot._outline import is_map, within
from spark_zorder.plot._states import State, check_bounds, states_of, table_name, unknown_text
from spark_zorder.plot._style import INK, count_text, faded, finish, plain, plotly, size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType
    from plotly.graph_objects import Figure

    from spark_zorder.plot._extents import DataFile
    from spark_zorder.plot._source import Source

# More rectangles than these are no longer seen one by one; the map then counts files cell by cell.
MOST_FILES = 1000
_CELLS = 40
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
            names and values.

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
        compared: the states that this figure is looked at beside, so that colours mean the same; None for these.
    """
    with_outline = is_map(x, y) if outline is None else outline
    drawn = {s.label: s.extents.with_bounds(x.column, y.column) for s in compared or states}
    in_cells = max(map(len, drawn.values())) > most_files
    cells = {label: _cells(files, x, y) for label, files in drawn.items()} if in_cells else {}
    deepest = max((count for grid in cells.values() for row in grid for count in row), default=0)
    figure = plotly("subplots").make_subplots(
        cols=len(states),
        # Axes that keep a ratio cannot be shared as well; they have the same range anyway.
        shared_yaxes=not with_outline,
        horizontal_spacing=0.06,
        subplot_titles=[s.label for s in states],
    )
    for col, state in enumerate(states, 1):
        if in_cells:
            figure.add_trace(_cell_trace(state, cells[state.label], deepest, x, y), row=1, col=col)
        else:
            figure.add_trace(_rectangles(state, drawn[state.label], x, y), row=1, col=col)
        for trace in _outline_traces(x, y) if with_outline else ():
            figure.add_trace(trace, row=1, col=col)
        figure.update_xaxes(**x.layout(len(states)), row=1, col=col)
        figure.update_yaxes(**y.layout(), row=1, col=col)
        if col > 1:
            figure.update_yaxes(title=None, showticklabels=False, row=1, col=col)
    if in_cells:
        figure.add_trace(_color_bar(deepest))
    figure.update_layout(barmode="overlay", showlegend=False)
    height = _keep_shape(figure, len(states), x, y) if with_outline else _HEIGHT
    title = f"Files of {table_name(states)} by {x.column} and {y.column}"
    subtitle = _subtitle(states, x, y, most_files if in_cells else None)
    return finish(figure, title, subtitle, _description(states, x, y), height=height, room_above=24)


def _keep_shape(figure: Figure, panels: int, x: Axis, y: Axis) -> int:
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
            f"{state.label.capitalize() + ': ' if state.label else ''}{count_text(len(state.extents.files), 'file')}; a "
            f"file shares a value of {x.column} with up to {depths[0]:.1f} files on average, itself included, and a "
            f"value of {y.column} with up to {depths[1]:.1f}."
        )
    return f"Map of file extents, {x.column} to the right and {y.column} up. " + " ".join(parts)


def _rectangles(state: State, files: Sequence[DataFile], x: Axis, y: Axis) -> BaseTraceType:
    columns = [x.visible_span(*(f.range_of(x.column) or ("", ""))) for f in files]
    rows = [y.visible_span(*(f.range_of(y.column) or ("", ""))) for f in files]
    # Many that lie on each other are drawn fainter, or all would be one block.
    alpha = min(0.4, max(0.01, 1.2 / max(1.0, _stacked(columns, rows))))
    return plotly("graph_objects").Bar(
        x=[(start + end) / 2 for start, end in columns],
        width=[end - start for start, end in columns],
        base=[start for start, _ in rows],
        y=[end - start for start, end in rows],
        marker={
            "color": faded(state.color, alpha),
            "line": {"color": state.color, "width": 1 if len(files) <= 200 else 0.5},
        },
        hovertext=[hover(file, x.column, y.column) for file in files],
        hoverinfo="text",
        name=state.name,
    )


def _stacked(columns: Sequence[tuple[float, float]], rows: Sequence[tuple[float, float]]) -> float:
    """On average how many rectangles lie over the middle of one; of a sample of the files."""
    sample = range(0, len(columns), max(1, len(columns) // 50))
    total = 0
    for i in sample:
        px, py = sum(columns[i]) / 2, sum(rows[i]) / 2
        total += sum(a <= px <= b and c <= py <= d for (a, b), (c, d) in zip(columns, rows, strict=True))
    return total / max(1, len(sample))


def hover(file: DataFile, *columns: str) -> str:
    """The text beside the pointer: the file, its size, and its bounds."""
    lines = [f"<b>{plain(_short(file.path))}</b>", f"{count_text(file.rows, 'row')}, {size_text(file.size)}"]
    for column in columns:
        low, high = (plain(_short(bound)) for bound in file.range_of(column) or ("unknown", "unknown"))
        lines.append(f"{plain(_short(column))}: {low} to {high}")
    return "<br>".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= 44 else f"{text[:20]}…{text[-22:]}"


def _cells(files: Sequence[DataFile], x: Axis, y: Axis) -> list[list[int]]:
    """Per cell of a grid over the map, the number of files that meet it: corners first, then sums over both ways."""
    corners = [[0] * (_CELLS + 1) for _ in range(_CELLS + 1)]
    for file in files:
        left, right = _cell_range(x, *(file.range_of(x.column) or ("", "")))
        low, high = _cell_range(y, *(file.range_of(y.column) or ("", "")))
        corners[low][left] += 1
        corners[low][right + 1] -= 1
        corners[high + 1][left] -= 1
        corners[high + 1][right + 1] += 1
    for j in range(_CELLS):
        for i in range(_CELLS):
            corners[j][i] += (corners[j][i - 1] if i else 0) + (corners[j - 1][i] if j else 0)
            corners[j][i] -= corners[j - 1][i - 1] if i and j else 0
    return [row[:_CELLS] for row in corners[:_CELLS]]


def _cell_range(axis: Axis, low: str, high: str) -> tuple[int, int]:
    start, end = axis.span(low, high)
    scale = _CELLS / (axis.high - axis.low)
    first = min(_CELLS - 1, max(0, math.floor((start - axis.low) * scale)))
    return first, max(first, min(_CELLS, math.ceil((end - axis.low) * scale)) - 1)


def _cell_trace(state: State, cells: Sequence[Sequence[int]], deepest: int, x: Axis, y: Axis) -> BaseTraceType:
    width, height = (x.high - x.low) / _CELLS, (y.high - y.low) / _CELLS
    filled = [(i, j, count) for j, row in enumerate(cells) for i, count in enumerate(row) if count]
    colors = [faded(state.color, _alpha(count / deepest)) for _, _, count in filled]
    return plotly("graph_objects").Bar(
        x=[x.low + (i + 0.5) * width for i, _, _ in filled],
        width=width,
        base=[y.low + j * height for _, j, _ in filled],
        y=[height] * len(filled),
        marker={"color": colors, "line": {"width": 0}},
        hovertext=[count_text(count, "file") for _, _, count in filled],
        hoverinfo="text",
    )


def _alpha(share: float) -> float:
    """How solid a cell is that meets this share of the most files: a single one can still be seen."""
    return 0.08 + 0.92 * share


def _color_bar(deepest: int) -> BaseTraceType:
    """A trace that draws nothing but the bar of colours."""
    marker = {
        "color": [0],
        "cmin": 0,
        "cmax": deepest,
        "colorscale": [faded(INK, _alpha(share)) for share in (0.0, 0.5, 1.0)],
        "showscale": True,
        "colorbar": {"title": {"text": "files"}, "thickness": 12, "outlinewidth": 0},
    }
    return plotly("graph_objects").Scatter(x=[None], y=[None], mode="markers", marker=marker, hoverinfo="skip")


def _outline_traces(x: Axis, y: Axis) -> list[BaseTraceType]:
    room_x, room_y = (x.high - x.low) / 2 + 1, (y.high - y.low) / 2 + 1
    box = (x.low - room_x, x.high + room_x, y.low - room_y, y.high + room_y)
    traces = []
    for kind, color in (("borders", _BORDER), ("coasts", _COAST)):
        xs, ys = within(kind, *box)
        line = {"color": color, "width": 1}
        traces.append(plotly("graph_objects").Scatter(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip", name=kind))
    return traces
