# SPDX-License-Identifier: Apache-2.0

"""Files as rectangles, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder.plot._style import count_text, faded, plain, plotly, size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType

    from spark_zorder.plot._layout.axis import Axis
    from spark_zorder.plot._layout.extents import DataFile
    from spark_zorder.plot._layout.states import State


def rectangles(state: State, files: Sequence[DataFile], x: Axis, y: Axis) -> BaseTraceType:
    """Returns the files of a state, all of which have bounds of both axes."""
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
