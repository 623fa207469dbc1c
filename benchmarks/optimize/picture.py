# SPDX-License-Identifier: Apache-2.0

"""Draws the picture of the README, shares beside seconds, from the results of a run on the events.

    python picture.py RESULTS PICTURE

It needs nothing but Python. Every system has a bar for two columns and one for four; those that failed are left out.
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from common.bars import bar, card

OURS = "ours-zorder"
# In the picture's order, with names short enough for its margin.
NAMES = {
    OURS: "spark-zorder",
    "delta-zorder": "Delta ZORDER BY",
    "delta-liquid": "Delta liquid clustering",
    "iceberg-zorder": "Iceberg zorder",
    "delta-rs-zorder": "delta-rs z_order",
    "repartition": "copy, repartitioned",
    "copy": "copy, not clustered",
}
_SETS = {2: "two", 4: "four"}
_SHARES, _SECONDS, _TOP, _LINE, _WIDTH = 180, 520, 106, 42, 240.0


def picture(document: dict[str, Any]) -> str:
    """The picture of the results as SVG.

    Args:
        document: what `bench.py` stores as `results.json`, with results on `events`.
    """
    found = {
        (r["system"], len(r["columns"])): r for r in document["results"] if r["dataset"] == "events" and not r["error"]
    }
    systems = [system for system in NAMES if any((system, columns) in found for columns in _SETS)]
    longest = max(r["medians"]["wall_seconds"] for key, r in found.items() if key[0] in systems)
    bars = [line for place, system in enumerate(systems) for line in _bars(system, place, found, longest)]
    bottom = _TOP + len(systems) * _LINE
    height = bottom + 62
    axes = (f'<line class="axis" x1="{x}" y1="98" x2="{x}" y2="{bottom - 4}"/>' for x in (_SHARES, _SECONDS))
    sets = [columns for columns in _SETS if any((system, columns) in found for system in systems)]
    lines = [*_head(height, len(systems), sets), *axes, *bars, *_notes(document, bottom)]
    return "\n  ".join(lines) + "\n</svg>\n"


def _head(height: int, systems: int, sets: list[int]) -> list[str]:
    clustered = " and by ".join(_SETS[columns] for columns in sets)
    return [
        *card(
            height,
            "spark-zorder compared: files read by a point lookup, and seconds of the statement",
            f"Bars for {systems} systems, clustered by {clustered} columns. The numbers are those of "
            "benchmarks/results/README.md.",
        ),
        f'<text x="{_SHARES}" y="32" class="head">Share of files that a point lookup reads</text>',
        f'<text x="{_SECONDS}" y="32" class="head">Seconds of the statement</text>',
        f'<text x="{_SHARES}" y="50" class="note">mean over the columns; less is better</text>',
        f'<text x="{_SECONDS}" y="50" class="note">wall time; less is better</text>',
        *(line for place, columns in enumerate(sets) for line in _legend(_SHARES + 190 * place, columns)),
    ]


def _legend(x: int, columns: int) -> list[str]:
    colour = _SETS[columns]
    return [
        f'<rect class="ours {colour}" x="{x}" y="68" width="12" height="12"/>',
        f'<rect class="{colour}" x="{x + 16}" y="68" width="12" height="12"/>',
        f'<text x="{x + 34}" y="79" class="note">clustered by {columns} columns</text>',
    ]


def _bars(system: str, place: int, found: dict[tuple[str, int], Any], longest: float) -> list[str]:
    top = _TOP + place * _LINE
    ours = "ours " if system == OURS else ""
    name = f'<text x="168" y="{top + 19}" class="{ours.strip()}" text-anchor="end">{escape(NAMES[system])}</text>'
    lines = [name]
    for number, (columns, colour) in enumerate(_SETS.items()):
        result = found.get((system, columns))
        if result is not None:
            y = top + 16 * number
            share, seconds = result["mean_shares"]["files"], result["medians"]["wall_seconds"]
            lines += bar(_SHARES, y, ours + colour, share * _WIDTH, f"{share:.3g}", ours)
            lines += bar(_SECONDS, y, ours + colour, seconds / longest * _WIDTH, f"{seconds:.1f} s", ours)
    return lines


def _notes(document: dict[str, Any], bottom: int) -> list[str]:
    source, versions = document["sources"]["events"], document["versions"]
    run = (
        f"{source['rows'] / 1e6:g} million events in {source['files']} files, {document['machine']['cores']} cores, "
        f"median of {document['flags']['rounds']} rounds; the same data for all."
    )
    origin = (
        f"Source: benchmarks/results/README.md, run of {document['date'][:10]}; Spark {versions['Spark']}, "
        f"Delta {versions['Delta Lake']}, Iceberg {versions['Iceberg']}, delta-rs {versions['delta-rs']}."
    )
    return [
        f'<text x="24" y="{bottom + 26}" class="note">{escape(run)}</text>',
        f'<text x="24" y="{bottom + 44}" class="note">{escape(origin)}</text>',
    ]


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(picture(json.loads(Path(sys.argv[1]).read_text())))
