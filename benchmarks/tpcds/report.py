# SPDX-License-Identifier: Apache-2.0

"""The marks first, then all figures, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.tables import number, table
from tpcds.layouts import FACTS, LAYOUTS
from tpcds.marks import SLOWER, gains, marks
from tpcds.measure import PRUNED, SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LOUD = 0.1


def differing(found: Mapping[str, Any]) -> list[str]:
    """The names of everything of which not all answers are the same."""
    queries = [name for name, one in found["queries"].items() if not one.get("same", True)]
    stars = [star["name"] for star in found["stars"] if not star["same"]]
    firsts: dict[str, set[tuple[str, ...]]] = {}
    for first in found["firsts"]:
        firsts.setdefault(first["asked"], set()).add(tuple(first["answer"]))
    updated: dict[str, set[int]] = {}
    for merge in found["merges"]:
        updated.setdefault(f"MERGE of {merge['kind']} {merge['keys']:,}", set()).add(merge["updated"])
    return queries + stars + [name for of in (firsts, updated) for name, all_ in of.items() if len(all_) > 1]


def markdown(found: Mapping[str, Any], flags: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """The whole report.

    Args:
        found: what the worker wrote.
        flags: of the command line.
        about: versions and machine.
    """
    wrong = differing(found)
    lines = [
        "# Joins, MERGE and first rows of TPC-DS",
        "",
        f"`{flags['command']}`: scale {flags['scale']:g}. {', '.join(FACTS)} are Delta tables in the order of",
        f"the generator, z-ordered by Delta, and z-ordered by spark-zorder, both by {_columns()};",
        "all other tables are Parquet. One session, one run before those that count, all systems in turns, medians of",
        f"{flags['rounds']}. Only the last system skips files by what a run alone knows",
        "(`spark.sql.zorder.skipping.dynamic`).",
        "",
        *_loud(found["others_share"]),
        f"Answers of all systems {'are the same' if not wrong else f'DIFFER for {wrong}'}.",
        "",
        "## Marks",
        "",
        table(
            ["mark", "measured", "asked for", ""],
            [[mark.text, mark.figure, mark.target, "met" if mark.met else "MISSED"] for mark in marks(found)],
            left=(0, 1, 2),
        ),
        "",
        *_slower(found),
        "## Tables",
        "",
        table(
            ["layout", "fact", "files", "MB"],
            [[LAYOUTS[b["layout"]], b["fact"], number(b["files"]), number(b["size"], 1, 1e6)] for b in found["built"]],
            left=(0, 1),
        ),
        "",
        *_stars(found),
        *_merges(found),
        *_firsts(found),
        *_queries(found),
        *_planning(found),
        "## Machine",
        "",
        *(f"- {name}: {value}" for name, value in about.items()),
    ]
    return "\n".join(lines) + "\n"


def _columns() -> str:
    return ", ".join("/".join(columns) for columns, _ in FACTS.values())


def _loud(share: float) -> list[str]:
    if share < _LOUD:
        return []
    return [f"**The machine was shared**: other processes took {share:.0%} of it. Ratios are an indication.", ""]


def _slower(found: Mapping[str, Any]) -> list[str]:
    ran = {name: one["systems"] for name, one in found["queries"].items() if "systems" in one}
    against = {}
    for system in SYSTEMS[:-1]:
        ratios = {name: of[PRUNED.name]["seconds"] / of[system.name]["seconds"] for name, of in ran.items()}
        slow = sorted((n for n, ratio in ratios.items() if ratio > SLOWER), key=lambda n: -ratios[n])
        against[system.name] = [f"{name} {ratios[name]:.2f}" for name in slow]
    lines = [f"- than {name}: {', '.join(slow) or 'none'}" for name, slow in against.items()]
    return ["What got slower with pruning, by more than 1.05, and how much:", "", *lines, ""] if ran else []


def _stars(found: Mapping[str, Any]) -> Iterator[str]:
    heads = ["star join", "files read", "with a match", "MB read", "with a match", "ratio"]
    rows = [
        [star["name"], number(star["files"]), number(star["least_files"])]
        + [number(star[key], 2, 1e6) for key in ("bytes", "least_bytes")]
        + [number(star["bytes"] / star["least_bytes"] if star["least_bytes"] else None, 2)]
        for star in found["stars"]
    ]
    yield from ["## Star joins", "", table(heads, rows), ""]


def _merges(found: Mapping[str, Any]) -> Iterator[str]:
    heads = ["keys", "system", "seconds", "of them search", "files searched", "MB searched"]
    heads += ["files rewritten", "MB rewritten", "rows updated"]
    rows = [
        [
            f"{merge['kind']} {merge['keys']:,}",
            merge["system"],
            number(merge["seconds"], 1),
            number(merge["search"], 1),
            number(merge["searched"]),
            number(merge["searched_bytes"], 1, 1e6),
            number(merge["rewritten"]),
            number(merge["rewritten_bytes"], 1, 1e6),
            number(merge["updated"]),
        ]
        for merge in found["merges"]
    ]
    if rows:
        yield from ["## MERGE into store_sales", "", table(heads, rows, left=(0, 1)), ""]


def _firsts(found: Mapping[str, Any]) -> Iterator[str]:
    rows = [[f["asked"], f["system"], number(f["files"]), number(f["seconds"], 2)] for f in found["firsts"]]
    yield from ["## First rows of store_sales", "", table(["", "system", "files", "seconds"], rows, left=(0, 1)), ""]


def _queries(found: Mapping[str, Any]) -> Iterator[str]:
    names = [system.name for system in SYSTEMS]
    heads = ["query", *(f"{name}: s" for name in names), "gain", *(f"{name}: files, MB" for name in names), "pruned"]
    gained = gains(found)
    rows = []
    for query, one in found["queries"].items():
        if "systems" in one:
            of = [one["systems"][name] for name in names]
            rows.append(
                [query, *(number(s["seconds"], 2) for s in of), number(gained[query], 2)]
                + [f"{number(s['files'])}, {number(s['bytes'], 1, 1e6)}" for s in of]
                + [number(of[-1]["pruned"])]
            )
    if rows:
        yield from ["## Queries", "", "Files and their bytes are those of the three facts. `gain` is the time on"]
        yield from ["Delta's z-order over that of the last system, `pruned` its files left out by keys of joins.", ""]
        yield from [table(heads, rows), ""]
    failed = [f"- {query}: {one['failed']}" for query, one in found["queries"].items() if "failed" in one]
    if failed:
        yield from ["Left out:", "", *failed, ""]


def _planning(found: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        [query, number(one["off"], 3), number(one["on"], 3), number(one["on"] / one["off"], 3)]
        for query, one in found["planning"].items()
    ]
    if rows:
        yield from ["## Planning of queries that gain nothing", "", "Seconds from the text to the plan.", ""]
        yield from [table(["query", "without pruning", "with", "ratio"], rows), ""]
