# SPDX-License-Identifier: Apache-2.0

"""Shares of files that point lookups read, from whatever tells them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spark_zorder._layout.extents import Extents
from spark_zorder._layout.source import Source, asked_columns, rows_of, snapshot
from spark_zorder.plot._states import State, compared
from spark_zorder.plot._style import AFTER, BEFORE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class LabelledShares:
    """The shares of one state by column, 0 to 1, None where not known."""

    label: str
    name: str
    shares: Mapping[str, float | None]
    is_estimated: bool
    color: str
    pattern: str


def shares_of(before: Source, after: Source | None, columns: str | Sequence[str] | None) -> list[LabelledShares]:
    """Returns the shares of one state or two, in the order in time.

    Raises:
        ZOrderValueError: as `snapshot`, or a state has no files (`ZORDER_NO_FILES`).
        ZOrderTypeError: an argument is no source.
    """
    both = _of_optimize(before) if after is None else None
    if both is not None:
        return [_chosen(state, columns) for state in both]
    first = _of_one("before", before, columns)
    if after is None:
        return [_chosen(first, columns)]
    second = _of_one("after", after, columns)
    return [
        _chosen(replace(first, label="before", color=BEFORE, pattern="/"), columns),
        _chosen(replace(second, label="after"), columns),
    ]


def shares_of_state(state: State, columns: Sequence[str]) -> LabelledShares:
    """Returns the shares of a snapshot."""
    measures = {column: state.extents.measure(column) for column in columns}
    return LabelledShares(
        state.label,
        state.extents.name,
        {column: measure.read_share for column, measure in measures.items()},
        any(measure.is_estimated for measure in measures.values()),
        state.color,
        state.pattern,
    )


def _of_one(argument: str, source: Source, columns: str | Sequence[str] | None) -> LabelledShares:
    if "point_read_share" in _names(source) and "file" not in _names(source):
        rows = rows_of(argument, source, ("column", "point_read_share"), "DESCRIBE LAYOUT")
        shares = {str(row["column"]): row["point_read_share"] for row in rows}
        return LabelledShares("", "the table", shares, False, AFTER, "")
    found: Extents = snapshot(argument, source, columns, measured=True)
    (state,) = compared(found, None)
    return shares_of_state(state, found.columns)


def _of_optimize(source: Source) -> list[LabelledShares] | None:
    """Both states, from the row of OPTIMIZE; None if it is something else."""
    if "layout" not in _names(source):
        return None
    rows = rows_of("before", source, ("path", "layout"), "OPTIMIZE")
    gains: list[Any] = [gain for row in rows for gain in row["layout"] or ()]
    name = str(rows[0]["path"]).removeprefix("file:") if rows else "the table"

    def state(field: str, color: str, pattern: str) -> LabelledShares:
        shares = {str(gain["column"]): gain[f"point_read_share_{field}"] for gain in gains}
        return LabelledShares(field, name, shares, False, color, pattern)

    return [state("before", BEFORE, "/"), state("after", AFTER, "")]


def _names(source: Source) -> Sequence[str]:
    if isinstance(source, (list, tuple)) and source:
        row = source[0]
        return list(row.asDict() if hasattr(row, "asDict") else row)
    names = getattr(source, "columns", ())
    return list(names) if not isinstance(source, Extents) else ()


def _chosen(state: LabelledShares, columns: str | Sequence[str] | None) -> LabelledShares:
    """The shares of the columns asked for, in that order; names differ in case and back-quotes at most."""
    asked = asked_columns(columns)
    if not asked:
        return state
    names = {column.replace("`", "").lower(): column for column in state.shares}
    chosen = [names.get(column.replace("`", "").lower(), column) for column in asked]
    return replace(state, shares={column: state.shares.get(column) for column in chosen})
