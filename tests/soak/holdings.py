# SPDX-License-Identifier: Apache-2.0

"""What processes that are never killed hold over the time: heap, threads, open files."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KINDS = ("heap", "threads", "files")
PARTS = 4
# Caches and pools have been filled by the second quarter. Of fewer samples the medians say little.
MOST_GROWTH, ENOUGH_SAMPLES = 1.3, 24


def medians(lines: Sequence[Mapping[str, Any]], kind: str) -> list[float]:
    """Of each quarter of the samples, the first first; none of fewer samples than quarters.

    Args:
        lines: what an actor has told, of which some have samples.
        kind: one of `KINDS`.
    """
    samples = [line[kind] for line in lines if kind in line]
    if len(samples) < PARTS:
        return []
    ends = [len(samples) * part // PARTS for part in range(PARTS + 1)]
    return [median(samples[begin:end]) for begin, end in pairwise(ends)]


def table(told: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """A table in Markdown: a row for each actor and kind; heap in MiB after a collection."""
    rows = [
        "| process | held | samples | 1st quarter | 2nd | 3rd | 4th |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, lines in told.items():
        for kind in KINDS:
            unit = 1024 if kind == "heap" else 1
            cells = [f"{value / unit:.0f}" for value in medians(lines, kind)] or ["-"] * PARTS
            count = sum(kind in line for line in lines)
            label = "heap, MiB" if kind == "heap" else kind
            rows.append(f"| {name} | {label} | {count} | {' | '.join(cells)} |")
    return rows


def grown(told: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """What holds much more in the last quarter than in the second, of runs that are long enough to tell."""
    found = []
    for name, lines in told.items():
        for kind in KINDS:
            quarters = medians(lines, kind)
            if sum(kind in line for line in lines) >= ENOUGH_SAMPLES and quarters[3] > MOST_GROWTH * quarters[1]:
                found.append(f"{name} holds more {kind}: {quarters[1]:.0f} and then {quarters[3]:.0f}")
    return found
