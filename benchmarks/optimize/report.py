# SPDX-License-Identifier: Apache-2.0

"""The report in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.tables import number, table
from optimize.summary import LEVELS, ratio
from optimize.systems import SYSTEMS
from optimize.targets import DATASET, FLOOR_FACTOR, OURS, TARGETS, floor, target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Result = dict[str, Any]

SAME_ROWS = {True: "same", False: "**DIFFER**", None: "-"}

# A share of all cores' time; less is what the kernel itself takes to write files.
_DISTURBING = 0.1


def markdown(document: Mapping[str, Any], chart: str | None) -> str:
    """The whole report.

    Args:
        document: what `bench.py` stores as JSON.
        chart: the name of the chart's file beside the report, if there is one.
    """
    parts = ["# Benchmarks", *_alarms(document), surroundings(document)]
    if chart:
        parts.append(f"![Wall seconds and shares read]({chart})")
    parts.append(_targets(document))
    for results in groups(document):
        parts += _group(results, document["sources"])
        parts.append(_disturbed(results, document["machine"]["cores"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def groups(document: Mapping[str, Any]) -> list[list[Result]]:
    """Results of the same table and columns together, in the order in which they ran."""
    found: dict[tuple[str, int], list[Result]] = {}
    for result in document["results"]:
        found.setdefault((result["dataset"], len(result["columns"])), []).append(result)
    return list(found.values())


def _alarms(document: Mapping[str, Any]) -> list[str]:
    changed = [r for r in document["results"] if r["same_rows"] is False]
    return [
        f"**ROWS DIFFER FROM THE SOURCE: {r['label']} on {r['dataset']}, {len(r['columns'])} columns.**"
        for r in changed
    ]


def surroundings(document: Mapping[str, Any], rounds: str | None = None) -> str:
    """Date, machine, versions and flags; `rounds` if not those of the flags."""
    host, flags = document["machine"], document["flags"]
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    return (
        f"{document['date']}. {host['processor']}, {host['cores']} cores, {host['memory_bytes'] / 2**30:.1f} GiB, "
        f"{host['kernel']}. {versions}. Heap {flags['memory']}; {rounds or flags['rounds']} rounds, medians; "
        f"every system asked for {flags['files']} files."
    )


def _targets(document: Mapping[str, Any]) -> str:
    """Our times beside the targets."""
    rows = []
    for results in groups(document):
        by_name = {result["system"]: result for result in results}
        for ours, theirs in TARGETS:
            columns = len(results[0]["columns"])
            limit = target(results[0]["dataset"], ours, theirs, columns)
            if limit is None or theirs not in by_name or (ours != OURS and ours not in by_name):
                continue
            times = ratio(by_name.get(ours), by_name[theirs])
            verdict = "not measured" if times is None else "passed" if times <= limit else "**missed**"
            pair = [by_name[theirs]["label"], SYSTEMS[ours].label]
            rows.append([*pair, str(columns), number(times, 2), f"{limit:g}", verdict])
    if not rows:
        return ""
    heads = ["against", "by", "columns", "wall time, ours / theirs", "target: at most", ""]
    return f"## Targets\n\nOn the {DATASET}.\n\n" + table(heads, rows, left={0, 1, 5})


def _group(results: Sequence[Result], sources: Mapping[str, Any]) -> list[str]:
    name, columns = results[0]["dataset"], results[0]["columns"]
    source = sources[name]
    about = f"{source['rows']:,} rows, {source['bytes'] / 1e6:,.0f} MB in {source['files']} files"
    return [f"## {name} by {', '.join(columns)}", about, _costs(results), _shares(results, columns), _layout(results)]


def _costs(results: Sequence[Result]) -> str:
    ours = next((result for result in results if result["system"] == OURS), None)
    rows = []
    for result in results:
        if result["error"]:
            rows.append([result["label"], f"failed: {result['error']}".replace("|", "\\|"), *[""] * 9])
            continue
        m = result["medians"]
        times = [number(m["wall_seconds"], 1), number(ratio(ours, result), 2), number(m["cpu_seconds"], 1)]
        moved = [number(m["jobs"]), number(m["shuffle_bytes"], 0, 1e6), number(m["peak_bytes"], 0, 1e6)]
        written = [number(m["files_out"]), number(m["bytes_out"], 0, 1e6)]
        first = number((result.get("first") or {}).get("wall_seconds"), 1)
        rows.append([result["label"], first, *times, *moved, *written, SAME_ROWS[result["same_rows"]]])
    heads = ["", "first s", "wall s", "ours / theirs", "CPU s", "jobs", "shuffle MB", "peak MB", "files", "MB", "rows"]
    return table(heads, rows)


def _shares(results: Sequence[Result], columns: Sequence[str]) -> str:
    """Shares read of files, row groups and pages, by column."""
    rows = []
    for result in results:
        if not result["error"]:
            means = [" / ".join(number(result["mean_shares"][level], 3) for level in LEVELS)]
            by_column = [" / ".join(number(result["shares"][c][level], 3) for level in LEVELS) for c in columns]
            rows.append([result["label"], *means, *by_column])
    title = "Share that a point lookup reads, of files / row groups / pages:"
    return f"{title}\n\n" + table(["", "mean", *columns], rows)


def _disturbed(results: Sequence[Result], cores: int) -> str:
    """Which systems had to share the machine; their times say little."""
    shared = []
    for result in results:
        others, wall = (result["medians"].get(figure) for figure in ("others_cpu_seconds", "wall_seconds"))
        if others and others > _DISTURBING * wall * cores:
            shared.append(f"{result['label']} ({others:.1f} s)")
    return f"**Other processes took CPU time during the run:** {', '.join(shared)}." if shared else ""


def _layout(results: Sequence[Result]) -> str:
    """Our files beside Delta's and the floor."""
    by_name = {result["system"]: result for result in results if not result["error"]}
    if OURS not in by_name:
        return ""
    ours = by_name[OURS]
    least = floor(ours["medians"]["files_out"], len(ours["columns"]))
    share = ours["mean_shares"]["files"]
    text = (
        f"spark-zorder reads {share:.3f} of its files on average: {share / least:.2f} times files ^ (-1 / columns), "
        f"{least:.3f}, which is about the least on independent columns in which no value fills a file (at most "
        f"{FLOOR_FACTOR} is asked for there)"
    )
    theirs = [by_name[name] for name in ("delta-zorder", "delta-liquid") if name in by_name]
    compared = [f"{share / r['mean_shares']['files']:.2f} times what {r['label']} reads" for r in theirs]
    return "; ".join([text, *compared]) + "."
