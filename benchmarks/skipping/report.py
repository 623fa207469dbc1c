# SPDX-License-Identifier: Apache-2.0

"""The results as Markdown."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any

from common.tables import number, table
from skipping.queries import COLUMNS, KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def differing(runs: Sequence[Mapping[str, Any]], by: str = "condition") -> list[str]:
    """What was asked for which not all systems have the same result.

    Args:
        runs: as `measure` returns them.
        by: the key of what was asked.
    """
    results: dict[str, set[tuple[str, ...]]] = {}
    for run in runs:
        results.setdefault(run[by], set()).add(tuple(run["result"]))
    return [asked for asked, found in results.items() if len(found) > 1]


def markdown(
    runs: Sequence[Mapping[str, Any]],
    planning: Mapping[str, Any] | None,
    flags: Mapping[str, Any],
    about: Mapping[str, Any],
) -> str:
    """The whole report.

    Args:
        runs: of all systems, as `measure` returns them.
        planning: as `planning` returns it; None if it was left out.
        flags: of the command line.
        about: versions and machine.
    """
    wrong = differing(runs)
    lines = [
        "# Lookups on tables of many files",
        "",
        f"`{flags['command']}`: {flags['rows']:,} events, z-ordered by {' and '.join(COLUMNS)}.",
        f"Means over {flags['values']} rows that are looked up, of each the median of {flags['rounds']} warm runs.",
        "",
        f"Results of all systems {'are the same' if not wrong else f'DIFFER for {wrong}'}.",
        "",
        *_lookups(runs),
        *([] if planning is None else _planning(planning)),
        "## Machine",
        "",
        *(f"- {name}: {value}" for name, value in about.items()),
    ]
    return "\n".join(lines) + "\n"


def _lookups(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    heads = ["system", "files read", "of", "MB of these", "MB read", "seconds", "planning"]
    lines = []
    for kind in KINDS:
        systems = dict.fromkeys(run["system"] for run in runs if run["kind"] == kind)
        rows = []
        for system in systems:
            its = [run for run in runs if run["kind"] == kind and run["system"] == system]
            rows.append(
                [
                    system,
                    number(_mean(its, "files"), 1),
                    number(its[0]["of"]),
                    number(_mean(its, "file_bytes"), 2, 1e6),
                    number(_mean(its, "read_bytes"), 2, 1e6),
                    number(_mean(its, "seconds"), 3),
                    number(_mean(its, "planning_seconds"), 3),
                ]
            )
        lines += [f"## Lookups of {kind}", "", f"`{KINDS[kind]}`", "", table(heads, rows), ""]
    return lines


def _planning(planning: Mapping[str, Any]) -> list[str]:
    heads = ["lookup", "seconds", "of that index", "listing", "files read", "pruned", "tasks"]
    named = {"nothing, the very first": planning["cold"]} | planning["cases"]
    rows = [
        [
            name,
            number(case["seconds"], 3),
            number(case["index_milliseconds"] / 1000, 3),
            number(case["listing_milliseconds"] / 1000, 3),
            number(case["files"]),
            number(case["pruned"]),
            number(case["tasks"]),
        ]
        for name, case in named.items()
    ]
    return [
        f"## Planning with {planning['files']:,} files",
        "",
        "From the text of a query to its tasks, of which none is run. Files in 100 folders, with four columns in the",
        "index; Spark has listed them before, except for `listed again`. Index and listing are the scan's own metrics;",
        f"listing holds index. ANALYZE, which reads every footer, took {planning['analyze_seconds']:.0f} seconds.",
        "",
        table(heads, rows),
        "",
    ]


def _mean(runs: Sequence[Mapping[str, Any]], key: str) -> float | None:
    values = [run[key] for run in runs if run[key] is not None]
    return mean(values) if values else None
