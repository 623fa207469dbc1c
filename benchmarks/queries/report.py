# SPDX-License-Identifier: Apache-2.0

"""Seconds and files of each query on each layout, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.tables import number, table
from skipping.report import differing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def markdown(
    runs: Sequence[Mapping[str, Any]],
    merges: Sequence[Mapping[str, Any]],
    flags: Mapping[str, Any],
    about: Mapping[str, Any],
) -> str:
    """The whole report.

    Args:
        runs: medians of all systems and kinds.
        merges: what one MERGE did to each table.
        flags: of the command line.
        about: versions and machine.
    """
    wrong = differing(runs, by="kind")
    systems = list(dict.fromkeys(run["system"] for run in runs))
    cells = {(run["kind"], run["system"]): run for run in runs}
    rows = [
        [kind, *(_cell(cells[kind, system]) for system in systems)] for kind in dict.fromkeys(r["kind"] for r in runs)
    ]
    merged = [
        [
            merge["kind"],
            merge["system"],
            number(merge["seconds"], 1),
            number(merge["search"], 1),
            number(merge["files"]),
            number(merge["bytes"], 1, 1e6),
            number(merge["updated"]),
        ]
        for merge in merges
    ]
    lines = [
        "# Seconds of queries",
        "",
        f"`{flags['command']}`: {flags['rows']:,} events that arrive in the order of time, as Delta tables clustered",
        f"by user_id and event_time. Medians of {flags['rounds']} warm runs, all layouts in turns, in one session.",
        "Seconds, and files read of all. Only the last column skips files by what a run alone knows; the others skip",
        "as Spark and Delta do without this extension.",
        "",
        f"Results of all layouts {'are the same' if not wrong else f'DIFFER for {wrong}'}.",
        "",
        table(["query", *systems], rows),
        "",
        "MERGE that updates rows of users; the search is for the files that hold one:",
        "",
        table(
            ["source", "layout", "seconds", "of them search", "files rewritten", "MB written", "rows updated"], merged
        ),
        "",
        "## Machine",
        "",
        *(f"- {name}: {value}" for name, value in about.items()),
    ]
    return "\n".join(lines) + "\n"


def _cell(run: Mapping[str, Any]) -> str:
    return f"{number(run['seconds'], 2)} s, {number(run['files'])} of {number(run['of'])}"
