# SPDX-License-Identifier: Apache-2.0

"""Tables of 100,000 files and more: planning, DESCRIBE LAYOUT, EXPLAIN SKIPPING, OPTIMIZE; a Parquet folder and Delta.

Each kind of table is measured in JVMs of its own, one after the other.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.children import ChildError, found_by
from common.flags import command, names_of
from common.machine import machine
from common.places import RESULTS, WORK
from common.printing import keep_report, print_started
from common.versions import versions
from scale.report import markdown
from scale.seed import FILES

_VERSIONS = ("spark-zorder", "Spark", "Delta Lake", "Java")
_WORKER = "scale/scale_worker.py"
_ROLES = {
    "parquet": ("parquet_first", "parquet_first_without", "parquet_path", "parquet_catalog"),
    "delta": ("delta", "delta_alone"),
}


def main() -> int:
    """Builds the tables, measures, and writes the report; the exit code is 1 if a process failed."""
    flags = vars(_parsed())
    work = WORK / "scale"
    if not flags["reuse"]:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    spec = {name: value for name, value in flags.items() if name not in ("out", "reuse")} | {
        "work": str(work),
        "partitions": max(10, flags["files"] // FILES),
        "parquet": str(work / "parquet"),
        "delta": str(work / "delta"),
    }
    print_started("building the tables")
    built = found_by("zorder", _WORKER, "build", spec | {"memory": flags["build_memory"]}, work, reuse=flags["reuse"])
    found: dict[str, Any] = {}
    for name in flags["formats"]:
        for role in _ROLES[name]:
            print_started(role)
            try:
                found[role] = found_by("zorder", _WORKER, role, spec | built[name], work)
            except ChildError as error:
                found[role] = {"failed": str(error)}
                print(error)
    about = {name: value for name, value in versions().items() if name in _VERSIONS}
    results = {
        "flags": spec | {"command": command("scale")},
        "built": built,
        "found": found,
        "about": about | machine(),
    }
    out: Path = flags["out"]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".json").write_text(json.dumps(results, indent=1))
    keep_report(markdown(results), out)
    return 1 if any("failed" in each for each in found.values()) else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000, help="files of each table (default: 100,000)")
    parser.add_argument("--formats", type=names_of(_ROLES), default=list(_ROLES), help="parquet,delta (default: both)")
    parser.add_argument("--rounds", type=int, default=7, help="measured plans of each kind (default: 7)")
    parser.add_argument(
        "--explained", type=int, default=100, help="most partitions for EXPLAIN SKIPPING, which opens every file"
    )
    parser.add_argument("--memory", default="2g", help="heap of a measured JVM (default: 2g)")
    parser.add_argument("--build-memory", default="3g", help="heap of the JVM that builds the tables (default: 3g)")
    parser.add_argument("--reuse", action="store_true", help="keep the tables of the last run, if it was as this one")
    parser.add_argument("--out", type=Path, default=RESULTS / "scale.md", help="the report")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
