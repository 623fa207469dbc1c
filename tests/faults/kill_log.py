# SPDX-License-Identifier: Apache-2.0

"""The log of a kill test, as a Markdown table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Death(NamedTuple):
    """A driver's end and what was found behind it."""

    moment: str
    phase: str
    committed: bool
    unreferenced: int
    rows_equal: bool
    again: bool
    clean: bool


_HEADER = "| # | moment drawn | phase hit | committed | files left | rows equal | OPTIMIZE again | VACUUM cleans |"


def phase(begun: int, complete: int, files: int, last_job: str | None) -> str:
    """Where before the commit it ended, by its data files on disk and by its last Spark job."""
    if complete >= files:
        return "between write and commit"
    if begun:
        return f"writing: {complete} of {files} files complete"
    return {None: "planning", "rewrite": "reading and shuffling"}.get(last_job, str(last_job))


def write(file: Path, deaths: list[Death]) -> None:
    """Writes the table, with a summary of phases above it."""

    def yes(value: bool) -> str:
        return "yes" if value else "NO"

    phases = Counter(d.phase.split(":")[0] for d in deaths)
    lines = [f"{len(deaths)} kills: " + ", ".join(f"{n} {name}" for name, n in phases.most_common()) + ".", "", _HEADER]
    lines.append("| ---: | --- | --- | --- | ---: | --- | --- | --- |")
    lines += [
        f"| {i} | {d.moment} | {d.phase} | {'yes' if d.committed else 'no'} | {d.unreferenced} | {yes(d.rows_equal)} "
        f"| {yes(d.again)} | {yes(d.clean)} |"
        for i, d in enumerate(deaths, 1)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")
