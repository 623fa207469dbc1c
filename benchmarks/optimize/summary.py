# SPDX-License-Identifier: Apache-2.0

"""From rounds to one line per system: medians, mean shares, ratios."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_FIGURES = (
    "wall_seconds",
    "cpu_seconds",
    "others_cpu_seconds",
    "peak_bytes",
    "jobs",
    "shuffle_bytes",
    "files_out",
    "bytes_out",
    "rows",
)
LEVELS = ("files", "row_groups", "pages")


def medians(rounds: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """The median of every figure; None for one that the system does not have."""
    return {figure: _median([measured.get(figure) for measured in rounds]) for figure in _FIGURES}


def keep(results: list[dict[str, Any]], again: dict[str, Any]) -> None:
    """Adds a result to those of a run, or its rounds to the same system's: a machine's speed drifts in half an hour."""
    for result in results:
        if all(result[part] == again[part] for part in ("dataset", "columns", "system")):
            result["rounds"] += again["rounds"]
            result["medians"] = medians(result["rounds"])
            result["error"] = result["error"] or again["error"]
            if again["same_rows"] is not True:
                result["same_rows"] = again["same_rows"]
            return
    results.append(again)


def mean_shares(shares: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    """By level, the mean over the columns."""
    found: dict[str, float | None] = {}
    for level in LEVELS:
        known = [share for levels in shares.values() if (share := levels[level]) is not None]
        found[level] = fmean(known) if known else None
    return found


def ratio(ours: Mapping[str, Any] | None, theirs: Mapping[str, Any]) -> float | None:
    """Median wall time, ours over theirs; None if one of both has none."""
    if ours is None or ours["error"] or theirs["error"]:
        return None
    return float(ours["medians"]["wall_seconds"] / theirs["medians"]["wall_seconds"])


def same_rows(result: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Whether every round holds as many rows as the source, and the last one exactly its rows."""
    counts: Iterable[int] = (measured["rows"] for measured in result["rounds"])
    return all(count == facts["rows"] for count in counts) and result["checksum"] == facts["checksum"]


def _median(values: Sequence[Any]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
