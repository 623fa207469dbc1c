# SPDX-License-Identifier: Apache-2.0

"""Files too many to be seen one by one: how many of them meet each cell of a map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spark_zorder._numbers import count_text
from spark_zorder.plot._style import INK, faded, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType

    from spark_zorder._layout.axis import Axis
    from spark_zorder._layout.extents import DataFile
    from spark_zorder.plot._states import State

_CELLS = 40


def cells_of(files: Sequence[DataFile], x: Axis, y: Axis) -> list[list[int]]:
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


def cell_trace(state: State, cells: Sequence[Sequence[int]], deepest: int, x: Axis, y: Axis) -> BaseTraceType:
    """Returns the cells that a file meets, the fuller the closer to the deepest."""
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


def color_bar(deepest: int) -> BaseTraceType:
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
