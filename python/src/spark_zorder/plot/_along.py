# SPDX-License-Identifier: Apache-2.0

"""Where the files lie along one column."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from spark_zorder._numbers import count_text, percent_text, tenths
from spark_zorder.plot._map import MOST_FILES, axis_of_states
from spark_zorder.plot._rectangles import hover
from spark_zorder.plot._states import State, check_bounds, states_of, table_name, unknown_text
from spark_zorder.plot._style import finish, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType
    from plotly.graph_objects import Figure

    from spark_zorder._layout.axis import Axis
    from spark_zorder._layout.source import Source

_POINTS = 400


def extents_along(before: Source, after: Source | None = None, *, column: str) -> Figure:
    """Draws each file as a bar from its least to its greatest value of a column; a lookup reads the bars it crosses.

    Up to 1,000 files are drawn one by one; of more, a line shows how many files a lookup of each value reads.

    Args:
        before: a `ZOrderTable`, `extents(...)`, or the rows of `DESCRIBE LAYOUT EXTENDED` as a DataFrame.
        after: the same for a second state, drawn beside the first on the same axes; None draws one state.
        column: the column.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no files (`ZORDER_NO_FILES`), no bounds (`ZORDER_NO_BOUNDS`), or as `extents`.

    Example:
        >>> extents_along(before, table, column="dep_delay").show()  # doctest: +SKIP
    """
    plotly("graph_objects")
    states = states_of(before, after, column, measured=False)
    name = states[-1].extents.columns[0]
    check_bounds(states, name)
    return draw_along(states, axis_of_states(name, states))


def draw_along(
    states: Sequence[State], axis: Axis, *, most_files: int = MOST_FILES, compared: Sequence[State] | None = None
) -> Figure:
    """Draws the states side by side.

    Args:
        states: what to draw.
        axis: the axis of the column.
        most_files: of more files in a state, all show how many files hold each value.
        compared: the states that this figure is looked at beside, so that heights mean the same; None for these alone.
    """
    figure = plotly("subplots").make_subplots(
        cols=len(states), shared_yaxes=True, horizontal_spacing=0.05, subplot_titles=[s.label for s in states]
    )
    most = max(len(state.extents.with_bounds(axis.column)) for state in compared or states)
    one_by_one = most <= most_files
    for col, state in enumerate(states, 1):
        figure.add_trace(_bars(state, axis) if one_by_one else _depth_line(state, axis), row=1, col=col)
        figure.update_xaxes(**axis.layout(len(states)), row=1, col=col)
    if one_by_one:
        figure.update_yaxes(range=[0.5 - 0.01 * most, most + 0.5 + 0.01 * most])
        figure.update_yaxes(title="number of the file", row=1, col=1)
    else:
        deepest = max(state.extents.depths(axis.column).max_depth for state in compared or states)
        figure.update_yaxes(range=[0, 1.05 * deepest])
        figure.update_yaxes(title="files that hold the value", row=1, col=1)
    figure.update_layout(showlegend=False, bargap=0.15)
    title = f"Files of {table_name(states)} along {axis.column}"
    what = (
        "Each bar is a file, from its least to its greatest value; the file with the least value is number 1. "
        "A lookup reads the files that it crosses."
        if one_by_one
        else f"How many files a lookup of each value reads (over {most_files:,} files: not drawn one by one)."
    )
    subtitle = " ".join(filter(None, [what, unknown_text(states, axis.column)]))
    return finish(figure, title, subtitle, _description(states, axis.column), room_above=24)


def _description(states: Sequence[State], column: str) -> str:
    parts = []
    for state in states:
        depths = state.extents.depths(column)
        files = len(state.extents.files)
        parts.append(
            f"{state.files_text}, of which up to "
            f"{depths.max_depth:,} hold the same value; {tenths(depths.average_depth)}, or "
            f"{percent_text(depths.average_depth / files)}, on average."
        )
    return f"Extents of the files along {column}. " + " ".join(parts)


def _bars(state: State, axis: Axis) -> BaseTraceType:
    files = [(file, r) for file in state.extents.files if (r := file.range_of(axis.column))]
    files.sort(key=lambda pair: axis.span(*pair[1]))
    spans = [axis.visible_span(*bounds) for _, bounds in files]
    return plotly("graph_objects").Bar(
        orientation="h",
        y=list(range(1, len(files) + 1)),
        base=[start for start, _ in spans],
        x=[end - start for start, end in spans],
        marker={"color": state.color, "line": {"width": 0}},
        hovertext=[hover(file, axis.column) for file, _ in files],
        hoverinfo="text",
        name=state.name,
    )


def _depth_line(state: State, axis: Axis) -> BaseTraceType:
    spans = [axis.span(*r) for file in state.extents.files if (r := file.range_of(axis.column))]
    starts, ends = sorted(start for start, _ in spans), sorted(end for _, end in spans)
    points = [axis.low + (axis.high - axis.low) * (i + 0.5) / _POINTS for i in range(_POINTS)]
    depths = [bisect_right(starts, p) - bisect_left(ends, p) for p in points]
    return plotly("graph_objects").Scatter(
        x=points,
        y=depths,
        mode="lines",
        line={"color": state.color, "width": 2, "shape": "hvh"},
        fill="tozeroy",
        hovertext=[count_text(depth, "file") for depth in depths],
        hoverinfo="x+text",
        name=state.name,
    )
