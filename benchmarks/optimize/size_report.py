# SPDX-License-Identifier: Apache-2.0

"""The report of `sizes.py` in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.tables import number, table
from optimize.report import SAME_ROWS, surroundings
from optimize.summary import ratio
from optimize.targets import OURS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def markdown(documents: Sequence[Mapping[str, Any]]) -> str:
    """The whole report.

    Args:
        documents: what `bench.py` stores as JSON, one for each size and set of columns.
    """
    rounds = " to ".join(str(n) for n in sorted({d["flags"]["rounds"] for d in documents}))
    parts = ["# Time and memory by size", surroundings(documents[0], rounds)]
    for count in sorted({_columns(d) for d in documents}):
        sizes = sorted((d for d in documents if _columns(d) == count), key=_rows)
        parts += [f"## events, {count} columns", _table(sizes)]
    return "\n\n".join(parts) + "\n"


def _table(sizes: Sequence[Mapping[str, Any]]) -> str:
    """`growth` is the time per row over that of the smallest size; 1 is linear."""
    heads = [
        "rows",
        "MB",
        "",
        "first s",
        "wall s",
        "ours / theirs",
        "growth",
        "CPU s",
        "growth",
        "peak MB",
        "same rows",
    ]
    rows = []
    for system in (r["system"] for r in sizes[0]["results"]):
        for document in sizes:
            result, ours = _of(document, system), _of(document, OURS)
            m, facts = result["medians"], document["sources"]["events"]
            first = (result.get("first") or {}).get("wall_seconds")
            rows.append(
                [
                    number(facts["rows"]),
                    number(facts["bytes"], 0, 1e6),
                    result["label"],
                    number(first, 1),
                    number(m["wall_seconds"], 1),
                    number(ratio(ours, result), 2),
                    number(_growth(sizes[0], document, system, "wall_seconds"), 2),
                    number(m["cpu_seconds"], 1),
                    number(_growth(sizes[0], document, system, "cpu_seconds"), 2),
                    number(m["peak_bytes"], 0, 1e6),
                    SAME_ROWS[result["same_rows"]],
                ]
            )
    return table(heads, rows, left={0, 2})


def _growth(small: Mapping[str, Any], document: Mapping[str, Any], system: str, figure: str) -> float | None:
    before, after = (_of(d, system)["medians"].get(figure) for d in (small, document))
    if before is None or after is None:
        return None
    return float(after / before * _rows(small) / _rows(document))


def _of(document: Mapping[str, Any], system: str) -> dict[str, Any]:
    found: dict[str, Any] = next(r for r in document["results"] if r["system"] == system)
    return found


def _columns(document: Mapping[str, Any]) -> int:
    return len(document["results"][0]["columns"])


def _rows(document: Mapping[str, Any]) -> int:
    return int(document["sources"]["events"]["rows"])
