# SPDX-License-Identifier: Apache-2.0

"""Lookups on tables of 500 files and more: plain Parquet with and without the index, Delta, Iceberg; and planning.

Each Spark runs in a process of its own, one after the other; within one, the tables take turns.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.children import found_by
from common.flags import command
from common.machine import machine
from common.places import RESULTS, WORK
from common.printing import keep_report, print_started
from common.versions import versions
from skipping.report import differing, markdown

_WORKER = "skipping/skipping_worker.py"


def main() -> int:
    """Runs both processes and writes the report; the exit code is 1 if results differ."""
    flags = vars(_parsed())
    work = WORK / "skipping"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    spec = {name: value for name, value in flags.items() if name != "out"} | {"work": str(work)}
    print_started("lookups on Parquet and Delta")
    ours = found_by("zorder", _WORKER, "zorder", spec, work)
    print_started("lookups on Iceberg")
    theirs = found_by("iceberg", _WORKER, "iceberg", spec | {"lookups": ours["lookups"]}, work)
    runs = ours["runs"] + theirs["runs"]
    planned = None
    if flags["planned_files"]:
        print_started("planning")
        planned = found_by("zorder", _WORKER, "planning", spec, work)
    about = {name: value for name, value in versions().items() if name not in ("delta-rs", "TPC-DS generator")}
    report = markdown(runs, planned, spec | {"command": command("skipping")}, about | machine())
    keep_report(report, flags["out"])
    return 1 if differing(runs) else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows of the events (default: 5,000,000)")
    parser.add_argument("--files", type=int, default=512, help="files of each table (default: 512)")
    parser.add_argument("--values", type=int, default=3, help="rows that are looked up (default: 3)")
    parser.add_argument("--rounds", type=int, default=3, help="measured runs of each lookup (default: 3)")
    parser.add_argument(
        "--planned-files", type=int, default=100_000, help="files to plan with, or 0 (default: 100,000)"
    )
    parser.add_argument("--planning-rounds", type=int, default=5, help="measured plans of each kind (default: 5)")
    parser.add_argument("--memory", default="4g", help="heap of a JVM (default: 4g)")
    parser.add_argument("--out", type=Path, default=RESULTS / "skipping.md", help="the report")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
