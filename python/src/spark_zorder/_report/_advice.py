# SPDX-License-Identifier: Apache-2.0

"""The advice that a report shows: rows of `ADVISE LAYOUT`, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_zorder._numbers import count, percent_text, size_text
from spark_zorder._smaller_files import advised
from spark_zorder.table import ZOrderTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_zorder._layout.source import Source

_MOST_ROWS = 5


@dataclass(frozen=True)
class Suggestion:
    """One layout, best first, as texts."""

    columns: str
    curve: str
    file_size: str
    files: str
    share: str
    share_now: str
    cost: str
    statement: str
    warnings: Sequence[str]


@dataclass(frozen=True)
class Advice:
    """Suggestions, best first, each of which gains something else; without any, a sentence says why.

    Attributes:
        suggestions: what to run.
        reason: why there is nothing to run.
        notes: what ADVISE LAYOUT remarks beside that, or on the size of the files.
    """

    suggestions: Sequence[Suggestion]
    reason: str = ""
    notes: Sequence[str] = ()


def advice_of(table: Source, columns: Sequence[str]) -> Advice:
    """Asks the table for advice on the columns; what goes wrong there does not keep the report from being written."""
    if not isinstance(table, ZOrderTable):
        return Advice([], "Advice comes with a report on the table itself, a ZOrderTable.")
    try:
        _, found, note = advised(partial(table.advise, *columns), len(columns))
    except PySparkException as error:
        return Advice([], f"ADVISE LAYOUT failed: {error}")
    rows = [row.asDict() for row in found]
    runs = [_suggestion(row) for row in rows if row["statement"]]
    if not runs:
        reason = "Nothing to run: no layout that ADVISE LAYOUT tried reads clearly less than the files as they are."
        return Advice([], reason, list(dict.fromkeys(note for row in rows for note in row.get("warnings") or ())))
    # Of several that read as much the first is the best: the others would tell nothing.
    gains = {suggestion.share: suggestion for suggestion in reversed(runs)}
    return Advice([s for s in runs if gains[s.share] is s][:_MOST_ROWS], notes=[note] if note else [])


def _suggestion(row: dict[str, Any]) -> Suggestion:
    seconds = row.get("rewrite_seconds")
    cost = size_text(row.get("rewrite_bytes") or 0) + (f", about {_time(seconds)}" if seconds is not None else "")
    return Suggestion(
        columns=", ".join(row.get("columns") or ()),
        curve=str(row.get("curve") or ""),
        file_size=size_text(row.get("target_file_size") or 0),
        files=count(row.get("files") or 0, "file"),
        share=percent_text(row.get("read_share")),
        share_now=percent_text(row.get("read_share_now")),
        cost=cost,
        statement=str(row.get("statement") or ""),
        warnings=list(row.get("warnings") or ()),
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60):,} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"
