# SPDX-License-Identifier: Apache-2.0

"""Seconds of queries and of a MERGE on four layouts of the same rows; also where a layout gains nothing."""

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
from queries.report import markdown
from skipping.report import differing


def main() -> int:
    """Runs the measured process and writes the report; the exit code is 1 if results differ."""
    flags = vars(_parsed())
    work = WORK / "queries"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    spec = {name: value for name, value in flags.items() if name != "out"} | {"work": str(work)}
    print_started("queries on four layouts")
    found = found_by("zorder", "queries/queries_worker.py", "zorder", spec, work)
    known = ("spark-zorder", "Spark", "Delta Lake", "Java", "Python")
    about = {name: value for name, value in versions().items() if name in known}
    report = markdown(found["runs"], found["merges"], spec | {"command": command("queries")}, about | machine())
    keep_report(report, flags["out"])
    return 1 if differing(found["runs"], by="kind") else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows of the events (default: 5,000,000)")
    parser.add_argument("--files", type=int, default=64, help="files of each table (default: 64)")
    parser.add_argument("--rounds", type=int, default=3, help="measured runs of each query (default: 3)")
    parser.add_argument("--memory", default="4g", help="heap of the JVM (default: 4g)")
    parser.add_argument("--out", type=Path, default=RESULTS / "queries.md", help="the report")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
