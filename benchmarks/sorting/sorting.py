# SPDX-License-Identifier: Apache-2.0

"""Writes of tables that have an order: what they cost, and what lookups then read; beside Delta and Iceberg.

Each system runs in a process of its own, one after the other; within one, the ways to write take turns.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.children import found_by
from common.flags import command, names_of
from common.machine import machine
from common.places import RESULTS, WORK
from common.printing import keep_report, print_started
from common.versions import versions
from sorting.report import markdown, wrong
from sorting.ways import WAYS

_ENVIRONMENTS = {"zorder": "zorder", "delta": "zorder", "iceberg": "iceberg"}


def main() -> int:
    """Runs the processes and writes the report; the exit code is 1 if rows differ, or lookups from page indexes."""
    flags = vars(_parsed())
    work = WORK / "sorting"
    if not flags["reuse"]:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    spec = {name: value for name, value in flags.items() if name not in ("out", "reuse")} | {"work": str(work)}
    found: dict[str, Any] = {"ways": {}, "uniform": {}, "answer": "", "checksum": None}
    for system, environment in _ENVIRONMENTS.items():
        if any(WAYS[name].system == system for name in flags["ways"]):
            print_started(f"writes with {system}")
            one = found_by(environment, "sorting/sorting_worker.py", system, spec, work, reuse=flags["reuse"])
            found["ways"] |= one["ways"]
            found |= {key: value for key, value in one.items() if key != "ways" and value}
    about = {name: value for name, value in versions().items() if name != "delta-rs"}
    report = markdown(found, spec | {"command": command("sorting")}, about | machine())
    keep_report(report, flags["out"])
    return 1 if wrong(found) else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="scale of TPC-DS (default: 1, 2.9 million rows)")
    parser.add_argument("--tasks", type=int, default=4, help="tasks that write a table (default: 4)")
    parser.add_argument("--page-rows", type=int, default=5_000, help="most rows of a page (default: 5,000)")
    parser.add_argument("--row-group-mb", type=int, default=128, help="MiB of a row group (default: 128)")
    parser.add_argument("--values", type=int, default=100, help="values looked up in each column (default: 100)")
    parser.add_argument("--rounds", type=int, default=3, help="measured writes in each of our ways (default: 3)")
    parser.add_argument("--peer-rounds", type=int, default=1, help="those of Delta and Iceberg (default: 1)")
    parser.add_argument(
        "--uniform-rows", type=int, default=2_500_000, help="rows of the uniform table, or 0 (default: 2,500,000)"
    )
    parser.add_argument(
        "--ways", type=names_of(WAYS), default=list(WAYS), help=f"some of {', '.join(WAYS)} (default: all of them)"
    )
    parser.add_argument(
        "--reuse", action="store_true", help="take what an earlier run with the same flags has measured of a system"
    )
    parser.add_argument("--memory", default="4g", help="heap of a JVM (default: 4g)")
    parser.add_argument("--out", type=Path, default=RESULTS / "sorting.md", help="the report")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
