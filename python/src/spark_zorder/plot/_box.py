# SPDX-License-Identifier: Apache-2.0

"""The map of a table's files with one query on it: a box, and the files that it opens, lit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from spark_zorder._numbers import count_text
from spark_zorder.plot._map import keep_shape, outline_traces
from spark_zorder.plot._outline import has_outline, is_map
from spark_zorder.plot._rectangles import rectangles, stacked
from spark_zorder.plot._style import INK, faded, finish, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType
    from plotly.graph_objects import Figure

    from spark_zorder._layout.axis import Axis
    from spark_zorder._layout.extents import DataFile
    from spark_zorder.plot._states import State

_T = TypeVar("_T")

# More lie on each other, and make the page large.
_MOST_FILES = 120
_HEIGHT = 380
_LIT = 0.6


def draw_box(state: State, opened: Sequence[DataFile], x: tuple[Axis, str, str], y: tuple[Axis, str, str]) -> Figure:
    """Draws a query as a box over the files of a state.

    Args:
        state: the files.
        opened: those that the query opens.
        x: the horizontal axis, and the values between which the query asks.
        y: the same of the vertical one.
    """
    axes = x[0], y[0]
    figure = plotly("subplots").make_subplots()
    paths = {file.path for file in opened}
    known = state.extents.with_bounds(axes[0].column, axes[1].column)
    lit = evenly([file for file in known if file.path in paths], _MOST_FILES)
    rest = evenly([file for file in known if file.path not in paths], _MOST_FILES)
    if has_outline(*axes):
        figure.add_traces(outline_traces(*axes))
    if rest:
        trace = rectangles(state, rest, *axes)
        figure.add_trace(trace.update(marker={"color": faded(INK, 0.07), "line": {"color": faded(INK, 0.6)}}))
    if lit:
        trace = rectangles(state, lit, *axes)
        # Alike bright whether one or all of them lie on each other, on either ground.
        alpha = 1 - (1 - _LIT) ** (1 / stacked(lit, *axes))
        figure.add_trace(trace.update(marker_color=faded(state.color, max(0.015, alpha))))
    figure.add_traces(_frame(x, y))
    figure.update_xaxes(**axes[0].layout())
    figure.update_yaxes(**axes[1].layout())
    figure.update_layout(barmode="overlay", showlegend=False)
    height = keep_shape(figure, 1, *axes) if is_map(*axes) else _HEIGHT
    files = count_text(len(state.extents.files), "file")
    box = " and ".join(f"{axis.column} from {low} to {high}" for axis, low, high in (x, y))
    description = (
        f"Map of file extents, {axes[0].column} to the right and {axes[1].column} up, and a query as a box: {box}. "
        f"It opens {len(opened):,} of {files}, which are lit."
    )
    return finish(figure, "One query, and the files that it opens", "", description, height=height)


def _frame(x: tuple[Axis, str, str], y: tuple[Axis, str, str]) -> list[BaseTraceType]:
    """The box, light around dark, so that it is seen on any ground."""
    (left, right), (low, high) = (axis.visible_span(least, most) for axis, least, most in (x, y))
    around = {"x": [left, right, right, left, left], "y": [low, low, high, high, low], "hoverinfo": "skip"}
    scatter = plotly("graph_objects").Scatter
    lines = ({"color": "#ffffff", "width": 6}, {"color": "#111111", "width": 2.5})
    return [scatter(**around, mode="lines", line=line, name="query") for line in lines]


def evenly(files: Sequence[_T], most: int) -> list[_T]:
    """Returns up to so many elements, evenly spread."""
    count = min(most, len(files))
    marks = [i * len(files) // count for i in range(count + 1)] if count else []
    return [files[start] for start, _ in pairwise(marks)]
