# SPDX-License-Identifier: Apache-2.0

"""TPC-DS on Delta tables in load order, by Delta's z-order and by ours: what keys of joins and first rows skip."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.children import found_by
from common.flags import command, names_of
from common.machine import machine
from common.places import RESULTS, WORK
from common.printing import keep_report, print_started
from common.tpcds import queries
from common.versions import versions
from tpcds.merges import ROWS
from tpcds.report import differing, markdown


def main() -> int:
    """Runs the measured process and writes the report; the exit code is 1 if answers differ."""
    flags = vars(_parsed())
    work = WORK / "tpcds"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    spec = {name: value for name, value in flags.items() if name != "out"} | {"work": str(work)}
    print_started(f"TPC-DS; what has run is in {work / 'zorder.log'}")
    found = found_by("zorder", "tpcds/tpcds_worker.py", "zorder", spec, work)
    known = ("spark-zorder", "Spark", "Delta Lake", "TPC-DS generator", "Java", "Python")
    about = {name: value for name, value in versions().items() if name in known}
    report = markdown(found, spec | {"command": command("tpcds")}, about | machine())
    keep_report(report, flags["out"])
    return 1 if differing(found) else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1, help="of TPC-DS (default: 1)")
    parser.add_argument("--files", type=int, default=300, help="files of store_sales (default: 300)")
    parser.add_argument("--rounds", type=int, default=3, help="measured runs of each query (default: 3)")
    parser.add_argument("--planning-rounds", type=int, default=5, help="measured plans (default: 5)")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a query is ended (default: 60)")
    parser.add_argument(
        "--minutes", type=float, default=600, help="after which no further query is begun (default: 600)"
    )
    parser.add_argument("--queries", type=names_of(queries()), help="names with commas between (default: all)")
    parser.add_argument("--few", type=int, default=1_000, help="keys of the smaller MERGEs (default: 1,000)")
    parser.add_argument("--many", type=int, default=100_000, help="keys of the larger; 0: no MERGE (default: 100,000)")
    parser.add_argument("--deletion-vectors", action="store_true", help="of the tables that MERGE changes")
    parser.add_argument("--keys-of", type=names_of(ROWS), help="rows of the MERGEs' keys, with commas (default: all)")
    parser.add_argument("--memory", default="4g", help="heap of the JVM (default: 4g)")
    parser.add_argument("--out", type=Path, default=RESULTS / "tpcds.md", help="the report")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
