# SPDX-License-Identifier: Apache-2.0

"""How the demo prints: within 80 columns, one column of figures per state of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measures import QUERIES, UNSORTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measures import Measures

_FIRST = 34
_OTHER = 15


def print_heading(title: str, text: str) -> None:
    """Prints what happens next, at once, as it may take a while."""
    print(f"{title}\n  {text}\n", flush=True)


def print_comparison(columns: Sequence[str], states: Sequence[Measures], unchanged: bool) -> int:
    """Prints all figures side by side.

    Args:
        columns: the z-order columns.
        states: the table before, and after each way to z-order it.
        unchanged: whether the z-ordered table holds the rows that it held before.

    Returns:
        0, or 1 if a row or an answer changed.
    """
    _line("", [s.label for s in states])
    _line("flights", [f"{s.rows:,}" for s in states])
    _line("files", [f"{s.files}" for s in states])
    _line("megabytes", [f"{s.bytes / 1e6:.1f}" for s in states])

    print("\nShare of the files that a point lookup must read (describe_layout)")
    for column in columns:
        _line(f"  {column}", [f"{s.shares[column]:.3f}" for s in states])
    _line(f"  {UNSORTED} (not clustered by)", [f"{s.shares[UNSORTED]:.3f}" for s in states])

    print("\nFiles that queries read (the scan's own metric)")
    same_answers = True
    for number, query in enumerate(QUERIES):
        answers = [s.answers[number] for s in states]
        same_answers &= all(a.row == answers[0].row for a in answers)
        flights, delay = answers[0].row
        print(f"  {query.title}\n    WHERE {query.predicate}")
        late = "" if delay is None else f", {delay:.1f} minutes late on average"
        print(f"    {flights:,} flights{late}")
        _line("    files read", [f"{a.files_read} of {s.files}" for a, s in zip(answers, states, strict=True)])

    sums = [sum(a.files_read for a in s.answers) for s in states]
    _line("  All three queries together", [f"{total}" for total in sums])

    print()
    print(f"Same answers from all three tables: {_yes(same_answers)}")
    print(f"Same rows before and after, each as often: {_yes(unchanged)}")
    return 0 if same_answers and unchanged else 1


def _line(title: str, cells: Sequence[str]) -> None:
    print(title.ljust(_FIRST) + "".join(cell.rjust(_OTHER) for cell in cells))


def _yes(value: bool) -> str:
    return "yes" if value else "NO"
