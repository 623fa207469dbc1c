# SPDX-License-Identifier: Apache-2.0

"""The results as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.tables import number, table
from scale.marks import marks

if TYPE_CHECKING:
    from collections.abc import Mapping

_MIB = 1024**2


def markdown(results: Mapping[str, Any]) -> str:
    """The whole report.

    Args:
        results: `flags`, `built` (files by format), `found` (by role, as the worker returns it), `about`.
    """
    found, built, flags = results["found"], results["built"], results["flags"]
    sizes = ", ".join(f"{name}: {of['files']:,} files" for name, of in built.items())
    lines = [
        f"# Tables of {flags['files']:,} files",
        "",
        f"`{flags['command']}`: {sizes}, in {flags['partitions']:,} partitions, and a JVM with a heap of",
        f"{flags['memory']}. One partition is z-ordered; the files of the others are links to its files.",
        "",
        "Peaks hold garbage; `held` is after a collection. Statements are the first of their kind in a JVM.",
        "",
        "## Marks",
        "",
        table(["", "found", "mark", ""], [list(mark) for mark in marks(results)]),
        "",
    ]
    for role, title in _TITLES.items():
        if role in found:
            lines += [f"## {title}", "", *_of(found[role]), ""]
    lines += ["## Machine", "", *(f"- {name}: {value}" for name, value in results["about"].items())]
    return "\n".join(lines) + "\n"


_TITLES = {
    "parquet_first": "A query on the Parquet folder, which Spark has listed before",
    "parquet_first_without": "The same without the index, in a JVM of its own",
    "parquet_path": "Statements on the Parquet folder by its path",
    "parquet_catalog": "Statements on the Parquet folder as a table of the catalog",
    "delta": "Delta, with the extension",
    "delta_alone": "Delta, without the extension",
}


def _of(found: Mapping[str, Any]) -> list[str]:
    if "failed" in found:
        return [found["failed"]]
    return _plans(found) + _statements(found)


def _plans(found: Mapping[str, Any]) -> list[str]:
    rows = []
    if "listing" in found:
        rows.append(["listing by Spark", *_figures(found["listing"]), "-", "-", "-"])
    if "first" in found:
        rows.append(["nothing, the first of the JVM", *_figures(found["first"]), *_more(found["first"])])
    if "again" in found:
        rows.append(["nothing, a new version of the index", *_figures(found["again"]), *_more(found["again"])])
    for one in found.get("plans", []):
        name = one["asked"] if one["by_index"] else f"{one['asked']}, skipping off"
        rows.append([name, *_figures(one), *_more(one)])
    heads = ["planned", "seconds", "peak MiB", "held MiB", "of it index, s", "files", "tasks"]
    return [table(heads, rows), ""] if rows else []


def _statements(found: Mapping[str, Any]) -> list[str]:
    done = found.get("statements", {})
    rows = [[name, *_figures(one)] for name, one in done.items()]
    return [table(["statement", "seconds", "peak MiB", "held MiB"], rows)] if rows else []


def _figures(one: Mapping[str, Any]) -> list[str]:
    return [number(one["seconds"], 2), number(one["peak"], 0, _MIB), number(one["held"], 0, _MIB)]


def _more(one: Mapping[str, Any]) -> list[str]:
    return [number(one["index"], 2, 1000), number(one["files"]), number(one["tasks"])]
