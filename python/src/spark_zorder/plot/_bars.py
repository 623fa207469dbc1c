# SPDX-License-Identifier: Apache-2.0

"""Figures of bars, one set per state: the share that a lookup reads, depth, and sizes of files."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from spark_zorder.plot._measures import DEPTH_STEPS, ONE_BY_ONE
from spark_zorder.plot._shares import LabelledShares, shares_of
from spark_zorder.plot._states import State, check_count, states_of, table_name
from spark_zorder.plot._style import count_text, finish, percent_text, plain, plotly, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotly.basedatatypes import BaseTraceType
    from plotly.graph_objects import Figure

    from spark_zorder.plot._source import Source

_LEGEND = 12


def read_shares(before: Source, after: Source | None = None, *, columns: str | Sequence[str] | None = None) -> Figure:
    """Draws the share of the files that a point lookup reads, by column, before and after.

    Args:
        before: a `ZOrderTable`, `extents(...)`, or as a DataFrame: the row that OPTIMIZE returned, which has both
            states in it, the rows of `DESCRIBE LAYOUT`, or those of `DESCRIBE LAYOUT EXTENDED`, from whose ranges the
            shares are estimated.
        after: the same for a second state; None draws what `before` holds.
        columns: the columns; None for all.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no files (`ZORDER_NO_FILES`), more than 16 columns (`ZORDER_TOO_MANY_COLUMNS`), or as
            `extents`.

    Example:
        >>> read_shares(table.optimize().executeZOrderBy("dest_lat", "dest_lon")).show()  # doctest: +SKIP
    """
    plotly("graph_objects")
    return draw_shares(shares_of(before, after, columns))


def draw_shares(found: Sequence[LabelledShares]) -> Figure:
    """Draws one set of horizontal bars for each state."""
    columns = list(dict.fromkeys(column for state in found for column in state.shares))
    check_count("read_shares", columns)
    figure = plotly("graph_objects").Figure()
    for state in found:
        shares = [state.shares.get(column) for column in columns]
        figure.add_bar(
            orientation="h",
            y=[plain(column) for column in columns],
            x=[100 * share if share is not None else None for share in shares],
            text=[percent_text(share) for share in shares],
            textposition="outside",
            cliponaxis=False,
            hovertext=[
                f"<b>{plain(c)}</b>{_of(state)}: {percent_text(s)}" for c, s in zip(columns, shares, strict=True)
            ],
            hoverinfo="text",
            name=state.label or "share read",
            marker=_marker(state.color, state.pattern),
            textfont={"size": 12},
        )
    figure.update_layout(showlegend=len(found) > 1, bargap=0.35, bargroupgap=0.08)
    figure.update_xaxes(title="share of the files read", range=[0, 120])
    figure.update_xaxes(tickvals=[0, 25, 50, 75, 100], ticktext=["0 %", "25 %", "50 %", "75 %", "100 %"])
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    name = found[-1].name
    estimated = any(state.is_estimated for state in found)
    subtitle = "Average over the values of the rows." + (
        " Estimated from the files' ranges, as if rows lay evenly in them." if estimated else ""
    )
    description = "Share of the files that a point lookup reads. " + " ".join(
        f"{column}: " + ", ".join(f"{percent_text(s.shares.get(column))}{_of(s)}" for s in found) + "."
        for column in columns
    )
    height = 70 + len(columns) * (30 + 18 * len(found))
    return finish(
        figure, f"What point lookups read of {name}", subtitle, description, height=height, room_above=_LEGEND
    )


def _of(state: LabelledShares) -> str:
    return f" {state.label}" if state.label else ""


def depth_histogram(
    before: Source, after: Source | None = None, *, columns: str | Sequence[str] | None = None
) -> Figure:
    """Draws how many files have which depth: the most files, itself included, that share a value of a file's range.

    Args:
        before: a `ZOrderTable`, `extents(...)`, or the rows of `DESCRIBE LAYOUT EXTENDED` as a DataFrame.
        after: the same for a second state; None draws one.
        columns: the columns, each of which gets a row of its own; None for all.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no files (`ZORDER_NO_FILES`), more than 16 columns (`ZORDER_TOO_MANY_COLUMNS`), or as
            `extents`.

    Example:
        >>> depth_histogram(before, table, columns=["dest_lat", "dest_lon"]).show()  # doctest: +SKIP
    """
    plotly("graph_objects")
    states = states_of(before, after, columns, measured=False)
    return draw_depths(states, states[-1].extents.columns)


def draw_depths(states: Sequence[State], columns: Sequence[str]) -> Figure:
    """Draws one row of bars for each column."""
    check_count("depth_histogram", columns)
    histograms = {(s.label, c): s.extents.measure(c).depth_histogram for s in states for c in columns}
    used = {step for histogram in histograms.values() for step in histogram}
    # Those between that no file has, too: bars stand where their depth is.
    steps = [step for step in DEPTH_STEPS if min(used) <= step <= max(used)]
    names = [depth_text(step) for step in steps]
    figure = plotly("subplots").make_subplots(
        rows=len(columns),
        shared_xaxes=True,
        vertical_spacing=0.16 / len(columns),
        subplot_titles=[*map(plain, columns)],
    )
    for row, column in enumerate(columns, 1):
        for state in states:
            files = [histograms[state.label, column].get(step, 0) for step in steps]
            figure.add_trace(_bars(state, names, files, "depth", first=row == 1), row=row, col=1)
        figure.update_yaxes(title="files", rangemode="tozero", row=row, col=1)
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=names)
    figure.update_xaxes(title="depth: files that share a value", row=len(columns), col=1)
    figure.update_layout(showlegend=len(states) > 1, bargap=0.25)
    _left_titles(figure)
    description = "Number of files by depth. " + " ".join(
        f"{column}: " + "; ".join(f"{_average(s, column)}{f' {s.label}' if s.label else ''}" for s in states) + "."
        for column in columns
    )
    title = f"Depth of the files of {table_name(states)}"
    return finish(
        figure,
        title,
        "The more files stand at a small depth, the better.",
        description,
        height=70 + 150 * len(columns),
        room_above=_LEGEND,
    )


def _average(state: State, column: str) -> str:
    measure = state.extents.measure(column)
    return f"depth {measure.average_depth:.1f} on average and {measure.max_depth:,} at most"


def file_sizes(before: Source, after: Source | None = None) -> Figure:
    """Draws how many files have which size, in steps that double.

    Args:
        before: a `ZOrderTable`, `extents(...)`, or the rows of `DESCRIBE LAYOUT EXTENDED` as a DataFrame.
        after: the same for a second state; None draws one.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no files (`ZORDER_NO_FILES`), or as `extents`.
    """
    plotly("graph_objects")
    return draw_sizes(states_of(before, after, None, measured=False))


def draw_sizes(states: Sequence[State]) -> Figure:
    """Draws one set of bars for each state."""
    counts = {state.label: size_steps(state) for state in states}
    used = [step for found in counts.values() for step in found]
    steps = list(range(min(used), max(used) + 1))
    names = [step_text(step) for step in steps]
    figure = plotly("graph_objects").Figure()
    for state in states:
        figure.add_trace(_bars(state, names, [counts[state.label].get(step, 0) for step in steps], "size", first=True))
    figure.update_layout(showlegend=len(states) > 1, bargap=0.25)
    figure.update_xaxes(title="size of the file", type="category", categoryorder="array", categoryarray=names)
    figure.update_yaxes(title="files", rangemode="tozero")
    description = "Number of files by size. " + " ".join(
        f"{count_text(len(s.extents.files), 'file')}{f' {s.label}' if s.label else ''}, "
        f"{size_text(s.extents.size / len(s.extents.files))} on average."
        for s in states
    )
    return finish(
        figure, f"Sizes of the files of {table_name(states)}", "", description, height=280, room_above=_LEGEND
    )


def size_steps(state: State) -> Mapping[int, int]:
    """Number of files by step: step n has the sizes from 1000 * 2 ** n bytes to twice that, step -1 all below."""
    return Counter(max(-1, math.floor(math.log2(max(1, file.size) / 1000))) for file in state.extents.files)


def step_text(step: int) -> str:
    """What a step of sizes is called."""
    if step < 0:
        return "below 1 kB"
    low, high = _step(step), _step(step + 1)
    return f"{low[:-3] if low[-3:] == high[-3:] else low} to {high}"


def _step(step: int) -> str:
    # 1024 kB reads as 1 MB: the steps double, and their names stay short.
    power, rest = divmod(step, 10)
    return f"{1 << rest} {('kB', 'MB', 'GB', 'TB', 'PB')[min(power, 4)]}"


def depth_text(step: int) -> str:
    """What a step of a depth histogram is called.

    Example:
        >>> depth_text(3), depth_text(32)
        ('3', '17-32')
    """
    return str(step) if step <= ONE_BY_ONE else f"{step // 2 + 1:,}-{step:,}"


def _bars(state: State, names: Sequence[str], files: Sequence[int], what: str, *, first: bool) -> BaseTraceType:
    label = f" {state.label}" if state.label else ""
    return plotly("graph_objects").Bar(
        x=names,
        # A bar of no height would still have its outline.
        y=[count or None for count in files],
        name=state.label or "files",
        legendgroup=state.label,
        showlegend=first,
        marker=_marker(state.color, state.pattern),
        hovertext=[f"{what} {n}{label}: <b>{count_text(f, 'file')}</b>" for n, f in zip(names, files, strict=True)],
        hoverinfo="text",
    )


def _marker(color: str, pattern: str) -> dict[str, Any]:
    return {"color": color, "line": {"color": color, "width": 1}, "pattern": {"shape": pattern, "solidity": 0.25}}


def _left_titles(figure: Figure) -> None:
    """Puts the titles of the rows where lines of text begin."""
    figure.for_each_annotation(lambda a: a.update(x=0, xanchor="left", font={"size": 13}))
