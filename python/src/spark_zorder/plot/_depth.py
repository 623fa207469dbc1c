# SPDX-License-Identifier: Apache-2.0

"""How many files have which depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder._html import plain
from spark_zorder._layout.ranges import ONE_BY_ONE
from spark_zorder._numbers import tenths
from spark_zorder.plot._states import LEGEND, State, bars, check_count, states_of, table_name
from spark_zorder.plot._style import finish, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from spark_zorder._layout.extents import Measure
    from spark_zorder._layout.source import Source

# More would stand upright, or on each other.
_MOST_LABELS = 10
# Averages are rounded in their last bits.
_ALIKE = 1e-3


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
    steps = sorted({step for histogram in histograms.values() for step in histogram})
    names = step_names([s.extents.measure(c) for s in states for c in columns], steps)
    figure = plotly("subplots").make_subplots(
        rows=len(columns),
        shared_xaxes=True,
        vertical_spacing=0.16 / len(columns),
        subplot_titles=[*map(plain, columns)],
    )
    for row, column in enumerate(columns, 1):
        for state in states:
            files = [histograms[state.label, column].get(step, 0) for step in steps]
            figure.add_trace(bars(state, names, files, "depth", first=row == 1), row=row, col=1)
        figure.update_yaxes(title="files", rangemode="tozero", row=row, col=1)
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=names, tickangle=0, nticks=_MOST_LABELS)
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
        room_above=LEGEND,
    )


def _average(state: State, column: str) -> str:
    measure = state.extents.measure(column)
    return f"depth {tenths(measure.average_depth)} on average and {measure.max_depth:,} at most"


def step_names(measures: Sequence[Measure], steps: Sequence[int]) -> list[str]:
    """What steps of depths are called: by the one depth that all files in it have, if that can be told."""
    names = []
    for step in steps:
        depths = {_depth_in(measure, step) for measure in measures if step in measure.depth_histogram}
        one = depths.pop() if len(depths) == 1 else None
        names.append(depth_text(step) if one is None else f"{one:,}")
    return names


def _depth_in(measure: Measure, step: int) -> int | None:
    """The depth of all files in a step; None where they may differ."""
    if step <= ONE_BY_ONE:
        return step
    files = measure.depth_histogram
    if any(other > ONE_BY_ONE for other in files if other != step):
        return None
    # What the files of this step have together: those of the others have each their step's.
    together = measure.average_depth * sum(files.values()) - sum(d * n for d, n in files.items() if d != step)
    return measure.max_depth if abs(together - measure.max_depth * files[step]) < _ALIKE else None


def depth_text(step: int) -> str:
    """What a step of a depth histogram is called.

    Example:
        >>> depth_text(3), depth_text(32)
        ('3', '17-32')
    """
    return str(step) if step <= ONE_BY_ONE else f"{step // 2 + 1:,}-{step:,}"


def _left_titles(figure: Figure) -> None:
    """Puts the titles of the rows where lines of text begin."""
    figure.for_each_annotation(lambda a: a.update(x=0, xanchor="left", font={"size": 13}))
