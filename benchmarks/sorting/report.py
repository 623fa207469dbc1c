# SPDX-License-Identifier: Apache-2.0

"""The results as Markdown."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from common.tables import number, table
from sorting.marks import cost, marks, others_share, over_floor
from sorting.ways import WAYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOUD = 0.1

_PEERS = """\
Delta Lake's CLUSTER BY orders nothing when rows are written: the INSERT makes the files of an unsorted one, and only
OPTIMIZE clusters them, along a Hilbert curve; rows have no order inside of its files. It is asked for files of 16 MiB,
so that there are several; Delta's own default is 1 GiB. The cost of the last line of Delta's is that of INSERT and
OPTIMIZE together.

Iceberg's WRITE LOCALLY ORDERED BY is a lexical order within tasks, WRITE ORDERED BY one across them. Asked for
`WRITE ORDERED BY zorder(...)`, it answers: {answer}. Pages are those of its files; whether its reader
skips by them is not looked at."""


def wrong(found: Mapping[str, Any]) -> list[str]:
    """What must not be: other rows than the source's, lookups that read other than the page indexes tell."""
    lines = [
        f"{name}: {way['checksum']} in place of {found['checksum']}"
        for name, way in found["ways"].items()
        if way["checksum"] != found["checksum"]
    ]
    return lines + [line for way in _tables(found) for line in way.get("checked", {}).get("differs", [])]


def markdown(found: Mapping[str, Any], flags: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """The whole report.

    Args:
        found: `ways` and `uniform` as the measured processes return them, `checksum` of the source, Iceberg's `answer`.
        flags: of the command line.
        about: versions and machine.
    """
    ways = found["ways"]
    lines = [
        "# Writes in the order of the table",
        "",
        f"`{flags['command']}`: TPC-DS store_sales, scale {flags['scale']:g}, {found['checksum'][0]:,} rows, by",
        f"{' and '.join(_columns(ways))}; {flags['tasks']} tasks, pages of at most {flags['page_rows']:,} rows,",
        f"row groups of {flags['row_group_mb']} MiB. Medians of warm rounds in which the ways take turns;",
        f"{flags['values']} values are looked up in each column.",
        "",
        *_noise(ways, about["cores"]),
        *_correctness(found),
        "## Marks",
        "",
        _marks(ways),
        "",
        "## What a write costs",
        "",
        "`INSERT INTO t SELECT *` from Parquet of the same rows in random order. Ratios are to the unsorted write of",
        "the same system.",
        "",
        _costs(ways),
        "",
        *_reads("What lookups read", ways),
        *_peers(found),
    ]
    for count, tables in found["uniform"].items():
        lines += _reads(f"Uniform table, {count} columns", tables)
    if found["uniform"]:
        lines += [f"{flags['uniform_rows']:,} rows of independent, even 31-bit values, written once each.", ""]
    lines += ["## Machine", "", *(f"- {name}: {value}" for name, value in about.items())]
    return "\n".join(lines) + "\n"


def _tables(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*found["ways"].values(), *(way for tables in found["uniform"].values() for way in tables.values())]


def _columns(ways: Mapping[str, Any]) -> list[str]:
    return list(next(iter(ways.values()))["read"])


def _noise(ways: Mapping[str, Any], cores: int) -> list[str]:
    share = others_share([once for way in ways.values() for once in way["rounds"]], cores)
    if share < _LOUD:
        return []
    return [
        f"**The machine was shared**: other processes took {share:.0%} of its time during the measured writes. CPU",
        "seconds are less wrong than wall seconds then, and ratios of either less than seconds.",
        "",
    ]


def _correctness(found: Mapping[str, Any]) -> list[str]:
    problems = wrong(found)
    if problems:
        return ["**WRONG**:", "", *(f"- {line}" for line in problems), ""]
    count = sum(way.get("checked", {}).get("lookups", 0) for way in _tables(found))
    return [
        f"All tables have the source's rows. In {count} lookups on our tables `EXPLAIN SKIPPING` and the rows that the",
        "scans returned (their metric `numOutputRows`) agreed with the page indexes.",
        "",
    ]


def _marks(ways: Mapping[str, Any]) -> str:
    rows = [[mark.text, mark.figure, mark.target, "met" if mark.met else "**missed**"] for mark in marks(ways)]
    return table(["mark", "measured", "asked for", ""], rows, left=(0, 3))


def _costs(ways: Mapping[str, Any]) -> str:
    heads = ["way", "rounds", "wall s", "ratio", "CPU s", "ratio", "others' CPU s", "peak MB", "files", "MB"]
    rows = []
    for name, way in ways.items():

        def middle(key: str, rounds: Sequence[Mapping[str, Any]] = way["rounds"]) -> float:
            return median(once[key] for once in rounds)

        rows.append(
            [
                WAYS[name].label,
                number(len(way["rounds"])),
                number(middle("wall_seconds"), 1),
                number(cost(ways, name, WAYS[name].against, "wall_seconds"), 2),
                number(middle("cpu_seconds"), 1),
                number(cost(ways, name, WAYS[name].against, "cpu_seconds"), 2),
                number(middle("others_cpu_seconds"), 1),
                number(middle("peak_bytes"), 0, 1e6),
                number(way["rounds"][-1]["files"]),
                number(way["rounds"][-1]["bytes"], 0, 1e6),
            ]
        )
    return table(heads, rows)


def _reads(title: str, ways: Mapping[str, Any]) -> list[str]:
    """A table with a line for each way and column."""
    if not ways:
        return []
    has_named = any(read["named"] for way in ways.values() for read in way["read"].values())
    heads = ["way", "column", "pages", "row groups", "files", "pages read", "row groups", "files", "pages skipped"]
    if has_named:
        heads += ["value", "pages read", "row groups", "files", "pages skipped"]
    rows = []
    for name, way in ways.items():
        for column, read in way["read"].items():
            units, share, named = read["units"], read["share"], read["named"]
            cells = [WAYS[name].label, column, *(number(units[u]) for u in ("pages", "row_groups", "files"))]
            cells += [number(share[u] * units[u], 1) for u in ("pages", "row_groups", "files")]
            cells.append(f"{1 - share['pages']:.1%}")
            if has_named:
                cells.append(str(way["values"][column]))
                cells += [number(named[u]) for u in ("pages", "row_groups", "files")]
                cells.append(f"{1 - named['pages'] / units['pages']:.1%}")
            rows.append(cells)
    floors = []
    for name, way in ways.items():
        if WAYS[name].is_zorder:
            share, least = over_floor(way["read"], WAYS[name].is_global)
            floors.append([WAYS[name].label, f"{share:.4f}", f"{least:.4f}", f"{share / least:.3f}"])
    return [
        f"## {title}",
        "",
        "Units that the table has, and of these the mean number read for the drawn values"
        f"{'; then those read for the one value of Impala' if has_named else ''}.",
        "",
        table(heads, rows, left=(0, 1)),
        "",
        "The floor is the share that `p` pages allow on `n` columns, `p^(-1/n)`: of each task's pages where the order",
        "is local, of all pages where it is global.",
        "",
        table(["way", "mean share of pages read", "floor", "share / floor"], floors),
        "",
    ]


def _peers(found: Mapping[str, Any]) -> list[str]:
    peers = [name for name in found["ways"] if WAYS[name].system != "zorder"]
    return [_PEERS.format(answer=found["answer"] or "not asked in this run"), ""] if peers else []
