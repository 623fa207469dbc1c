# SPDX-License-Identifier: Apache-2.0

"""What the queries are to gain at least, and may lose at most."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from tpcds.firsts import ALONE as FIRST_ALONE
from tpcds.measure import PRUNED, THEIRS
from tpcds.merges import DAY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FLOOR = 1.2
SLOWER = 1.05
TWICE = 2.0
MERGE_BYTES = 1.2
MERGE_SECONDS = 0.4
FIRST_FILES = 3
PLANNING = 1.03
_SHARE = 0.25


class Mark(NamedTuple):
    """A line of the table: what is asked for, its figure, what the figure is to be, and whether it is."""

    text: str
    figure: str
    target: str
    met: bool


def marks(found: Mapping[str, Any]) -> list[Mark]:
    """Those for which there are figures.

    Args:
        found: what the worker wrote.
    """
    return [*_stars(found), *_queries(found), *_merges(found), *_firsts(found), *_planning(found)]


def gains(found: Mapping[str, Any]) -> dict[str, float]:
    """Of each query that ran the seconds on Delta's z-order without pruning, over those of ours with it."""
    return {
        name: one["systems"][THEIRS.name]["seconds"] / one["systems"][PRUNED.name]["seconds"]
        for name, one in found["queries"].items()
        if "systems" in one
    }


def _stars(found: Mapping[str, Any]) -> Iterator[Mark]:
    ratios = {star["name"]: star["bytes"] / star["least_bytes"] for star in found["stars"] if star["least_bytes"]}
    if ratios:
        worst = max(ratios, key=ratios.__getitem__)
        over = sum(ratio > FLOOR for ratio in ratios.values())
        text = "bytes of a fact read by a star join / bytes of files that hold a matching row"
        figure = (
            f"{over} of {len(ratios)} are over; median {median(ratios.values()):.2f}, {ratios[worst]:.2f} for {worst}"
        )
        yield Mark(text, figure, f"at most {FLOOR:g}", over == 0)


def _queries(found: Mapping[str, Any]) -> Iterator[Mark]:
    ratios = gains(found)
    if ratios:
        twice = [name for name, ratio in ratios.items() if ratio >= TWICE]
        least = f"a quarter of {len(ratios)}, or reasons"
        figure = f"{len(twice)}: {', '.join(twice)}" if twice else "none"
        text = "queries at twice the speed or more of Delta's z-order without pruning"
        yield Mark(text, figure, least, len(twice) >= _SHARE * len(ratios))
        slower = sorted((name for name, ratio in ratios.items() if ratio < 1 / SLOWER), key=ratios.__getitem__)
        shown = ", ".join(f"{name} {1 / ratios[name]:.2f}" for name in slower)
        text = "queries slower than Delta's z-order without pruning"
        yield Mark(text, f"{len(slower)}: {shown}" if slower else "none", f"none by more than {SLOWER:g}", not slower)


def _merges(found: Mapping[str, Any]) -> Iterator[Mark]:
    of_day = [merge for merge in found["merges"] if merge["kind"] == DAY]
    if of_day:
        few = min(merge["keys"] for merge in of_day)
        ours, theirs = (
            next(m for m in of_day if m["keys"] == few and m["system"] == name) for name in (PRUNED.name, THEIRS.name)
        )
        name = f"MERGE of one day's {few:,} keys"
        # Files that get deletion vectors are rewritten in no byte.
        unit, of = ("bytes", "_bytes") if ours["rewritten_bytes"] else ("files", "")
        ratio = ours[f"searched{of}"] / ours[f"rewritten{of}"]
        yield _most(f"{name}: {unit} scanned in the target / of the files that it rewrites", ratio, MERGE_BYTES)
        ratio = ours["seconds"] / theirs["seconds"]
        yield _most(f"{name}: seconds / those of Delta's on its own z-order", ratio, MERGE_SECONDS)


def _firsts(found: Mapping[str, Any]) -> Iterator[Mark]:
    for first in found["firsts"]:
        if first["system"] == PRUNED.name or first["asked"] == FIRST_ALONE:
            met = first["files"] <= FIRST_FILES
            yield Mark(f"files read for {first['asked']}", str(first["files"]), f"at most {FIRST_FILES}", met)


def _planning(found: Mapping[str, Any]) -> Iterator[Mark]:
    planned = found["planning"].values()
    if planned:
        ratio = sum(one["on"] for one in planned) / sum(one["off"] for one in planned)
        text = f"planning time of {len(planned)} queries that gain nothing, with pruning / without, of all together"
        yield _most(text, ratio, PLANNING)


def _most(text: str, value: float, target: float) -> Mark:
    return Mark(text, f"{value:.2f}", f"at most {target:g}", value <= target)
