# SPDX-License-Identifier: Apache-2.0

"""What issues 13 and 14 ask for, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from sorting.floors import floor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SKIPPED = 0.91
OVER_FLOOR = 1.15
# Of a way's write over that of an unsorted one; the second is for writes by the encoder.
COSTS = (("local", 1.3, ""), ("local", 1.0, ", by the encoder"), ("global", 1.7, ""))


@dataclass(frozen=True)
class Mark:
    """A figure that has to be reached.

    Attributes:
        text: what it is.
        figure: as measured.
        target: as asked for.
        met: whether it is reached.
    """

    text: str
    figure: str
    target: str
    met: bool


def cost(ways: Mapping[str, Mapping[str, Any]], name: str, against: str, key: str) -> float | None:
    """The ratio of two ways' medians of a measure; None where one was not measured."""
    if name not in ways or against not in ways:
        return None
    ours, theirs = (median(once[key] for once in ways[way]["rounds"]) for way in (name, against))
    return ours / theirs


def over_floor(read: Mapping[str, Mapping[str, Any]], is_global: bool) -> tuple[float, float]:
    """The mean share of the pages that lookups read, over all columns, and the floor.

    Args:
        read: of each column, as `by_indexes` returns it.
        is_global: whether all files together have the order; else each file is a task's own.
    """
    pages = [column["file_pages"] for column in read.values()]
    counts = [[sum(files)] if is_global else files for files in pages]
    return mean(c["share"]["pages"] for c in read.values()), mean(floor(count, len(read)) for count in counts)


def marks(ways: Mapping[str, Mapping[str, Any]]) -> list[Mark]:
    """All of them for which there are figures.

    Args:
        ways: what was measured of each way on store_sales, by its name.
    """
    found: list[Mark] = []
    if "global" in ways:
        for column, read in ways["global"]["read"].items():
            skipped = 1 - read["share"]["pages"]
            text = f"global: share of the pages that lookups of {column} skip"
            found.append(_least(text, skipped, SKIPPED))
            if read["named"]:
                skipped = 1 - read["named"]["pages"] / read["units"]["pages"]
                found.append(_least(f"{text}, of Impala's value", skipped, SKIPPED))
    if "local" in ways:
        share, least = over_floor(ways["local"]["read"], is_global=False)
        text = f"local: share of the pages that lookups read, over the floor of {least:.4f}"
        found.append(_most(text, share / least, OVER_FLOOR))
    for name, target, how in COSTS:
        for what, key in (("wall time", "wall_seconds"), ("CPU time", "cpu_seconds")):
            ratio = cost(ways, name, "unsorted", key)
            if ratio is not None:
                found.append(_most(f"{name}: {what} over that of the unsorted write{how}", ratio, target))
    return found


def _least(text: str, value: float, target: float) -> Mark:
    return Mark(text, f"{value:.4f}", f"above {target}", value > target)


def _most(text: str, value: float, target: float) -> Mark:
    return Mark(text, f"{value:.3f}", f"at most {target}", value <= target)


def others_share(rounds: Sequence[Mapping[str, Any]], cores: int) -> float:
    """The share of the machine's time that other processes took during the rounds."""
    return float(sum(r["others_cpu_seconds"] for r in rounds) / sum(r["wall_seconds"] for r in rounds) / cores)
