# SPDX-License-Identifier: Apache-2.0

"""Files as rectangles, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder._html import plain
from spark_zorder._numbers import count_text, size_text
from spark_zorder.plot._style import faded, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType

    from spark_zorder._layout.axis import Axis
    from spark_zorder._layout.extents import DataFile
    from spark_zorder.plot._states import State


def rectangles(state: State, files: Sequence[DataFile], x: Axis, y: Axis) -> BaseTraceType:
    """Returns the files of a state, all of which have bounds of both axes."""
    columns, rows = _spans(files, x), _spans(files, y)
    below = _below(columns, rows)
    # Many that lie on each other are drawn fainter, or all would be one block.
    alpha = min(0.4, max(0.01, 1.2 / _mean_stack(below)))
    return plotly("graph_objects").Bar(
        x=[(start + end) / 2 for start, end in columns],
        width=[end - start for start, end in columns],
        base=[start for start, _ in rows],
        y=[end - start for start, end in rows],
        marker={
            "color": faded(state.color, alpha),
            "line": {"color": state.color, "width": 1 if len(files) <= 200 else 0.5},
        },
        hovertext=[hover(file, x.column, y.column, more=more) for file, more in zip(files, below, strict=True)],
        hoverinfo="text",
        name=state.name,
    )


def stacked(files: Sequence[DataFile], x: Axis, y: Axis) -> float:
    """On average how many rectangles lie over the middle of one, itself included; 1 without files."""
    return _mean_stack(_below(_spans(files, x), _spans(files, y)))


def _spans(files: Sequence[DataFile], axis: Axis) -> list[tuple[float, float]]:
    return [axis.visible_span(*(file.range_of(axis.column) or ("", ""))) for file in files]


def _mean_stack(below: Sequence[int]) -> float:
    return 1 + sum(below) / max(1, len(below))


def _below(columns: Sequence[tuple[float, float]], rows: Sequence[tuple[float, float]]) -> list[int]:
    """For each rectangle, how many others its middle lies in."""
    middles = [(sum(column) / 2, sum(row) / 2) for column, row in zip(columns, rows, strict=True)]
    spans = [(*column, *row) for column, row in zip(columns, rows, strict=True)]
    return [sum(a <= x <= b and c <= y <= d for a, b, c, d in spans) - 1 for x, y in middles]


def hover(file: DataFile, *columns: str, more: int = 0) -> str:
    """The text beside the pointer: the file, its size, its bounds, and how many others lie where it does."""
    lines = [f"<b>{plain(_short(file.path))}</b>", f"{count_text(file.rows, 'row')}, {size_text(file.size)}"]
    for column in columns:
        low, high = (plain(_short(bound)) for bound in file.range_of(column) or ("unknown", "unknown"))
        lines.append(f"{plain(_short(column))}: {low} to {high}")
    return "<br>".join([*lines, f"and {more:,} more here"] if more else lines)


def _short(text: str) -> str:
    return text if len(text) <= 44 else f"{text[:20]}…{text[-22:]}"
