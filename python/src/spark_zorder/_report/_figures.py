# SPDX-License-Identifier: Apache-2.0

"""Figures of a report: the same as those of `spark_zorder.plot`, each with the table of its numbers beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spark_zorder._layout.extents import axis_of
from spark_zorder._numbers import count_text, percent_text, size_text
from spark_zorder.plot._along import draw_along
from spark_zorder.plot._box import draw_box, evenly
from spark_zorder.plot._depth import draw_depths, step_names
from spark_zorder.plot._grid import draw_grids, grid_measures, grid_orders, grid_result
from spark_zorder.plot._map import draw_map
from spark_zorder.plot._outline import is_map
from spark_zorder.plot._share_bars import draw_shares
from spark_zorder.plot._shares import shares_of_state
from spark_zorder.plot._sizes import draw_sizes, size_steps, step_text
from spark_zorder.plot._states import unknown_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from spark_zorder._layout.extents import DataFile
    from spark_zorder._report._example import Example
    from spark_zorder.plot._states import State

# So many bars in all figures along columns, and in the map, keep the page below 2 MB.
_BARS_ALONG = 700
_LEAST_BARS = 20
_MOST_RECTANGLES = 200
_MOST_ROWS = 30


@dataclass(frozen=True)
class DataTable:
    """The numbers of a figure; `note` says what is left out."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Panel:
    """What plotly draws in one place: its label, empty where it is alone, a text for who cannot see it, its JSON."""

    label: str
    description: str
    json: dict[str, Any]

    @property
    def height(self) -> int:
        """Pixels, kept free until it is drawn."""
        return int(self.json["layout"]["height"])


@dataclass(frozen=True)
class PageFigure:
    """A figure with its heading, its panels, which stand beside or below each other, and its numbers."""

    key: str
    title: str
    subtitle: str
    panels: Sequence[Panel]
    table: DataTable


def share_figure(states: Sequence[State]) -> PageFigure:
    """The share that point lookups read, by column."""
    columns = states[-1].extents.columns
    shares = [shares_of_state(state, columns) for state in states]
    table = DataTable(
        "Share of the files that a point lookup reads",
        ["Column", *(state.label.capitalize() or "Share" for state in states)],
        [[column, *(percent_text(s.shares[column]) for s in shares)] for column in columns],
    )
    return _figure("shares", "What point lookups read", [("", draw_shares(shares))], table)


def example_figure(example: Example) -> PageFigure:
    """One query as a box, and the files that it opens."""
    x, y = ((side.axis, side.low, side.high) for side in (example.x, example.y))
    drawn = [(opened.state.label, draw_box(opened.state, opened.files, x, y)) for opened in example.opened]
    states = [opened.state for opened in example.opened]
    columns = (example.x.axis.column, example.y.axis.column)
    table = _files_table("Files that the query opens", [(o.state, o.files) for o in example.opened], *columns)
    figure = _figure("query", "The box is the query; the files that it opens are lit", drawn, table)
    unknown = unknown_text(states, *columns)
    return replace(figure, subtitle=unknown)


def map_figure(states: Sequence[State]) -> PageFigure | None:
    """The map of two columns: longitude and latitude if they are there, else the first two; None without two."""
    extents = [state.extents for state in states]
    columns = [c for c in states[-1].extents.columns if any(e.with_bounds(c) for e in extents)]
    axes = [axis_of(column, extents) for column in columns]
    if len(axes) < 2:
        return None
    x, y = next(((a, b) for a in axes for b in axes if a is not b and is_map(a, b)), (axes[0], axes[1]))
    drawn = [(state.label, draw_map([state], x, y, most_files=_MOST_RECTANGLES, compared=states)) for state in states]
    table = _files_table("Extents of files", [(s, s.extents.files) for s in states], x.column, y.column)
    title = f"Map of files by {x.column} and {y.column}"
    return _figure("map", title, drawn, table)


def column_figures(states: Sequence[State], number: int, column: str) -> list[PageFigure]:
    """What is drawn of one column: the files along it, and their depth."""
    figures = []
    extents = [state.extents for state in states]
    if any(e.with_bounds(column) for e in extents):
        axis = axis_of(column, extents)
        most = max(_LEAST_BARS, _BARS_ALONG // (len(states) * len(states[-1].extents.columns)))
        along = _files_table(f"Extents of files along {column}", [(s, s.extents.files) for s in states], column)
        drawn = [(state.label, draw_along([state], axis, most_files=most, compared=states)) for state in states]
        figures.append(_figure(f"along-{number}", "Files along the column", drawn, along))
    depth = draw_depths(states, [column])
    # The heading names the column already.
    depth.layout.annotations = ()
    depth.update_layout(height=300, margin_b=48)
    figures.append(_figure(f"depth-{number}", "Depth of the files", [("", depth)], _histogram_table(states, column)))
    return figures


def size_figure(states: Sequence[State]) -> PageFigure:
    """Sizes of the files."""
    counts = [size_steps(state) for state in states]
    steps = sorted({step for count in counts for step in count})
    table = DataTable(
        "Files by size",
        ["Size", *(state.label.capitalize() or "Files" for state in states)],
        [[step_text(step), *(f"{count[step]:,}" for count in counts)] for step in steps],
    )
    return _figure("sizes", "Sizes of the files", [("", draw_sizes(states))], table)


def grid_figure() -> PageFigure:
    """The example that explains files read, false positives, overlaps and depth."""
    orders = grid_orders()
    rows = [
        [
            order.name,
            str(len(order.read)),
            str(order.false_positives),
            f"{order.x.average_overlaps:g}, {order.x.average_depth:g}",
            f"{order.y.average_overlaps:g}, {order.y.average_depth:g}",
        ]
        for order in orders
    ]
    header = ["Order", "Files read", "False positives", "x: overlaps, depth", "y: overlaps, depth"]
    drawn = [(f"{grid_result(order)}; {grid_measures(order)}", draw_grids([order])) for order in orders]
    return _figure(
        "grid", "An example: x = 2 OR y = 3 on 64 rows in 16 files", drawn, DataTable("The example", header, rows)
    )


def _figure(key: str, title: str, drawn: Sequence[tuple[str, Figure]], table: DataTable) -> PageFigure:
    # One sentence each: panels of one figure differ in what is not drawn.
    subtitles = dict.fromkeys(figure.layout.meta["subtitle"] for _, figure in drawn)
    panels = [Panel(label, figure.layout.meta["description"], _embedded(figure)) for label, figure in drawn]
    return PageFigure(key, title, " ".join(filter(None, subtitles)), panels, table)


def _embedded(figure: Figure) -> dict[str, Any]:
    """The figure without the titles that the page has as text."""
    legend = bool(figure.layout.showlegend)
    figure.update_layout(title=None, meta=None, margin={"t": 34 if legend else 12, "l": 52, "r": 16})
    # The mode bar comes to the right.
    figure.update_layout(legend={"x": 0, "xanchor": "left"})
    height = figure.layout.height
    figure.update_layout(height=max(240, height - 70))
    if len(figure.layout.annotations) == 1:
        figure.layout.annotations = ()
    content: dict[str, Any] = json.loads(figure.to_json())
    return content


def _histogram_table(states: Sequence[State], column: str) -> DataTable:
    histograms = [state.extents.measure(column).depth_histogram for state in states]
    steps = sorted({step for histogram in histograms for step in histogram})
    names = step_names([state.extents.measure(column) for state in states], steps)
    return DataTable(
        f"Files by depth in {column}",
        ["Depth", *(state.label.capitalize() or "Files" for state in states)],
        [[name, *(f"{h.get(step, 0):,}" for h in histograms)] for name, step in zip(names, steps, strict=True)],
    )


def _files_table(caption: str, found: Sequence[tuple[State, Sequence[DataFile]]], *columns: str) -> DataTable:
    """Some of the files of one state or two, with their bounds; of two, also which state they are of."""
    files = [(state.label, file) for state, of_state in found for file in of_state]
    two = len(found) > 1
    rows = [[*[label] * two, *_file_cells(file, *columns)] for label, file in evenly(files, _MOST_ROWS)]
    header = ["State"] * two + ["File", "Rows", "Size", *columns]
    note = f"{len(rows)} of {len(files):,} files, evenly chosen." if len(rows) < len(files) else ""
    return DataTable(caption, header, rows, note)


def _file_cells(file: DataFile, *columns: str) -> list[str]:
    ranges = (file.range_of(column) for column in columns)
    bounds = [f"{cut(r[0])} to {cut(r[1])}" if r else "unknown" for r in ranges]
    return [cut(file.path, 60), count_text(file.rows), size_text(file.size), *bounds]


def cut(text: str, length: int = 40) -> str:
    """The text, without its middle where it is long."""
    return text if len(text) <= length else f"{text[: length // 2]}…{text[-(length // 2 - 1) :]}"
