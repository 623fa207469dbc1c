# SPDX-License-Identifier: Apache-2.0

"""How many files have which size."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from spark_zorder._numbers import count_text, size_text
from spark_zorder.plot._states import LEGEND, State, bars, states_of, table_name
from spark_zorder.plot._style import finish, plotly

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotly.graph_objects import Figure

    from spark_zorder._layout.source import Source


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
        figure.add_trace(bars(state, names, [counts[state.label].get(step, 0) for step in steps], "size", first=True))
    figure.update_layout(showlegend=len(states) > 1, bargap=0.25)
    figure.update_xaxes(title="size of the file", type="category", categoryorder="array", categoryarray=names)
    figure.update_yaxes(title="files", rangemode="tozero")
    description = "Number of files by size. " + " ".join(
        f"{count_text(len(s.extents.files), 'file')}{f' {s.label}' if s.label else ''}, "
        f"{size_text(s.extents.size / len(s.extents.files))} on average."
        for s in states
    )
    return finish(figure, f"Sizes of the files of {table_name(states)}", "", description, height=280, room_above=LEGEND)


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
