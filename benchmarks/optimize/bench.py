# SPDX-License-Identifier: Apache-2.0

"""`make bench`: every system in turn on the same machine and data; prints and stores what it measured."""

from __future__ import annotations

import json
import signal
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.children import ChildError, run_child
from common.machine import machine
from common.places import WORK
from common.printing import print_started
from common.versions import versions
from optimize.arguments import parsed
from optimize.datasets import source
from optimize.one_run import one_run
from optimize.printing import print_result
from optimize.report import markdown
from optimize.summary import keep
from optimize.systems import OURS as OUR_SYSTEMS
from optimize.targets import OURS

if TYPE_CHECKING:
    from argparse import Namespace

    from optimize.datasets import Source


def main() -> int:
    """Runs the benchmarks; the exit code is 1 if rows changed or one of our own systems failed."""
    flags = parsed()
    out: Path = flags.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": machine(),
        "flags": {key: value for key, value in vars(flags).items() if key != "out"},
        "versions": versions(),
        "sources": {},
        "results": [],
    }
    for name in flags.datasets:
        data = _built(name, flags)
        facts = data.facts()
        document["sources"][name] = {key: facts[key] for key in ("rows", "bytes", "files")}
        for count in map(int, flags.columns):
            _run_systems(data, data.dataset.column_sets[count], flags, document, out)
    _finish(document, out)
    changed = [r for r in document["results"] if r["same_rows"] is False]
    failed = [r for r in document["results"] if r["error"] and r["system"] in OUR_SYSTEMS]
    return 1 if changed or failed else 0


def _built(name: str, flags: Namespace) -> Source:
    """The data set, made by the first run that needs it and kept."""
    data = source(name, flags.rows, flags.scale, flags.files)
    if not data.facts_file.exists():
        print_started(f"Building {data.folder.name}")
        arguments = [name, flags.rows, flags.scale, flags.files]
        run_child("zorder", "optimize/build_data.py", arguments, WORK / "data" / f"{data.folder.name}.log")
    return data


def _run_systems(data: Source, columns: tuple[str, ...], flags: Namespace, document: dict[str, Any], out: Path) -> None:
    print_started(f"{data.folder.name} by {', '.join(columns)}")
    ours = None
    for system in flags.systems:
        result = one_run(system, data, columns, flags)
        keep(document["results"], result)
        ours = result if system == OURS else ours
        _store(document, out)
        print_result(result, ours)


def _store(document: dict[str, Any], out: Path) -> None:
    (out / "results.json").write_text(json.dumps(document, indent=1) + "\n")


def _finish(document: dict[str, Any], out: Path) -> None:
    """Writes report and chart; a chart that fails does not take the results with it."""
    try:
        run_child("chart", "optimize/chart.py", [out / "results.json", out / "chart.png"], WORK / "chart.log")
        chart = "chart.png"
    except ChildError as error:
        print(f"No chart: {error}", file=sys.stderr)
        chart = None
    report = markdown(document, chart)
    (out / "report.md").write_text(report)
    print(f"\n{report}\nStored in {out}")


if __name__ == "__main__":
    # Ended from outside, it ends the process that it waits for too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except ChildError as error:
        print(f"The benchmarks cannot run: {error}", file=sys.stderr)
        sys.exit(1)
