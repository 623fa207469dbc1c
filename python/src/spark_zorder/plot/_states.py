# SPDX-License-Identifier: Apache-2.0

"""A figure shows one state of a table, or one before beside one after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_zorder._layout.source import Source, snapshot
from spark_zorder._numbers import count_text
from spark_zorder.errors import ZOrderValueError
from spark_zorder.plot._style import AFTER, BEFORE, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType

    from spark_zorder._layout.extents import Extents

# Room for a legend above the axes, in pixels.
LEGEND = 12
# As many as a z-order can have.
MOST_COLUMNS = 16


@dataclass(frozen=True)
class State:
    """A snapshot with its label, empty where it is alone, its colour, and the pattern that tells it without colour."""

    label: str
    extents: Extents
    color: str
    pattern: str

    @property
    def name(self) -> str:
        """What to call it in texts: `before`, `after`, or the table's name."""
        return self.label or self.extents.name

    @property
    def files_text(self) -> str:
        """How a sentence on it begins: `Before: 12 files`."""
        label = f"{self.label.capitalize()}: " if self.label else ""
        return label + count_text(len(self.extents.files), "file")


def states_of(
    before: Source, after: Source | None, columns: str | Sequence[str] | None, *, measured: bool
) -> list[State]:
    """Returns the states that a user's arguments stand for.

    Raises:
        ZOrderValueError: one has no files (`ZORDER_NO_FILES`), or as `snapshot`.
        ZOrderTypeError: one is no source.
    """
    first = snapshot("before", before, columns, measured=measured)
    if after is None:
        return compared(first, None)
    second = snapshot("after", after, columns or list(first.columns), measured=measured)
    return compared(first, second.spelled(first.columns))


def compared(before: Extents, after: Extents | None) -> list[State]:
    """Returns the states of snapshots; one alone has the colour of what is there now.

    Raises:
        ZOrderValueError: one has no files (`ZORDER_NO_FILES`).
    """
    if after is None:
        states = [State("", before, AFTER, "")]
    else:
        states = [State("before", before, BEFORE, "/"), State("after", after, AFTER, "")]
    for state in states:
        if not state.extents.files:
            raise ZOrderValueError("ZORDER_NO_FILES", argument=state.name)
    return states


def check_count(method: str, columns: Sequence[str], limit: int = MOST_COLUMNS) -> None:
    """Refuses more columns than a figure has room for.

    Raises:
        ZOrderValueError: there are more (`ZORDER_TOO_MANY_COLUMNS`).
    """
    if len(columns) > limit:
        raise ZOrderValueError("ZORDER_TOO_MANY_COLUMNS", method=method, limit=str(limit), count=str(len(columns)))


def check_bounds(states: Sequence[State], *columns: str) -> None:
    """Refuses columns of which no file has bounds.

    Raises:
        ZOrderValueError: there is no file with bounds of a column, in any state (`ZORDER_NO_BOUNDS`).
    """
    for column in columns:
        if not any(state.extents.with_bounds(column) for state in states):
            raise ZOrderValueError("ZORDER_NO_BOUNDS", argument=states[-1].name, column=repr(column))


def table_name(states: Sequence[State]) -> str:
    """The table's name for titles: the last state's."""
    return states[-1].extents.name


def unknown_text(states: Sequence[State], *columns: str) -> str:
    """A sentence on files of unknown bounds, which are not drawn; empty without any."""
    parts = []
    for state in states:
        if unknown := state.extents.unknown(*columns):
            where = f" {state.label}" if state.label else ""
            parts.append(f"{unknown:,} of {count_text(len(state.extents.files), 'file')}{where}")
    return f"Not drawn, of unknown bounds and always read: {', '.join(parts)}." if parts else ""


def bars(state: State, names: Sequence[str], files: Sequence[int], what: str, *, first: bool) -> BaseTraceType:
    """Returns upright bars: for each name how many files; the legend names the state at its first bars only."""
    label = f" {state.label}" if state.label else ""
    return plotly("graph_objects").Bar(
        x=names,
        # A bar of no height would still have its outline.
        y=[count or None for count in files],
        name=state.label or "files",
        legendgroup=state.label,
        showlegend=first,
        marker=marker(state.color, state.pattern),
        hovertext=[f"{what} {n}{label}: <b>{count_text(f, 'file')}</b>" for n, f in zip(names, files, strict=True)],
        hoverinfo="text",
    )


def marker(color: str, pattern: str) -> dict[str, Any]:
    """How bars of a state look."""
    return {"color": color, "line": {"color": color, "width": 1}, "pattern": {"shape": pattern, "solidity": 0.25}}
