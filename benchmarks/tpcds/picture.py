# SPDX-License-Identifier: Apache-2.0

"""Draws the picture of what queries gain, from the record of a run of TPC-DS.

    python picture.py RECORD PICTURE

It needs nothing but Python.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from common.bars import bar, card

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = "spark-zorder"
# As the record calls them, and as the picture does.
NAMES = {
    "load order": "load order",
    "Delta's z-order": "Delta's z-order",
    "its layout alone": "our layout alone",
    OURS: "spark-zorder",
}
_DAY = "one day's 1,000"
_PANELS, _TOP, _LINE, _WIDTH = (168, 404, 640), 76, 26, 140.0


def picture(record: str) -> str:
    """The picture as SVG.

    Args:
        record: the report that `tpcds.py` writes.
    """
    seconds, gigabytes, count = _queries(record)
    searched = {row[1]: _number(row[5]) for row in _rows(record, "keys") if row[0] == _DAY}
    panels = [
        ("MB that a MERGE searches", "1,000 keys of one day", searched, "{:.0f} MB"),
        ("GB of facts read", f"{count} queries of TPC-DS", gigabytes, "{:.1f} GB"),
        ("Seconds of the queries", f"the same {count}; facts and plans", seconds, "{:.0f} s"),
    ]
    bottom = _TOP + len(NAMES) * _LINE
    lines = card(
        bottom + 52,
        "What queries gain: bytes that a MERGE searches, bytes that queries read, and their seconds",
        "Bars for four layouts of the same tables. The numbers are those of benchmarks/results/tpcds.md.",
    )
    for place, (name, shown) in enumerate(NAMES.items()):
        weight = "ours" if name == OURS else ""
        y = _TOP + place * _LINE + 11
        lines.append(f'<text x="156" y="{y}" class="{weight}" text-anchor="end">{escape(shown)}</text>')
    for x, panel in zip(_PANELS, panels, strict=True):
        lines += _panel(x, bottom, *panel)
    source = "Source: benchmarks/results/tpcds.md, scale 1, Delta tables; less is better."
    lines.append(f'<text x="24" y="{bottom + 30}" class="note">{source}</text>')
    return "\n  ".join(lines) + "\n</svg>\n"


def _panel(x: int, bottom: int, head: str, note: str, values: dict[str, float], text: str) -> Iterator[str]:
    yield f'<text x="{x}" y="32" class="head">{escape(head)}</text>'
    yield f'<text x="{x}" y="50" class="note">{escape(note)}</text>'
    yield f'<line class="axis" x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{bottom - 4}"/>'
    for place, name in enumerate(NAMES):
        ours = "ours " if name == OURS else ""
        width = values[name] / max(values.values()) * _WIDTH
        yield from bar(x, _TOP + place * _LINE, f"{ours}two", width, text.format(values[name]), ours)


def _queries(record: str) -> tuple[dict[str, float], dict[str, float], int]:
    """Seconds and gigabytes of all queries by system, and the number of queries."""
    rows = [row for row in _rows(record, "query") if len(row) == 2 * len(NAMES) + 3]
    seconds = {name: sum(_number(row[1 + i]) for row in rows) for i, name in enumerate(NAMES)}
    first = len(NAMES) + 2
    gigabytes = {
        name: sum(_number(row[first + i].split(", ")[1]) for row in rows) / 1000 for i, name in enumerate(NAMES)
    }
    return seconds, gigabytes, len(rows)


def _rows(record: str, head: str) -> Iterator[list[str]]:
    """The rows of the tables whose first column has this head."""
    of: list[str] | None = None
    for line in record.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")] if line.startswith("|") else []
        if not cells:
            of = None
        elif of is None:
            of = cells
        elif of[0] == head and not cells[0].startswith("---"):
            yield cells


def _number(text: str) -> float:
    return float(text.replace(",", ""))


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(picture(Path(sys.argv[1]).read_text()))
