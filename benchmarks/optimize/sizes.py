# SPDX-License-Identifier: Apache-2.0

"""`make sizes`: how OPTIMIZE's time and memory grow with the rows of the events, beside delta-rs, which has no JVM."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.places import CODE, RESULTS, WORK
from optimize.arguments import positive
from optimize.size_report import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = (2_500_000, 10_000_000, 40_000_000)
SYSTEMS = ("ours-zorder", "delta-rs-zorder")


def main() -> int:
    """Runs `bench.py` for each size; the exit code is that of the first that failed."""
    flags = _parsed()
    work = WORK / "sizes"
    found = []
    for rows in flags.rows:
        for columns in flags.columns:
            out = work / f"{rows}-{columns}"
            if not (flags.reuse and (out / "report.md").exists()):
                code = _bench(rows, columns, flags.rounds, out)
                if code != 0:
                    return code
            found.append(json.loads((out / "results.json").read_text()))
    report = markdown(found)
    flags.out.mkdir(parents=True, exist_ok=True)
    (flags.out / "sizes.md").write_text(report)
    print(f"\n{report}\nStored in {flags.out}")
    return 0


def _bench(rows: int, columns: str, rounds: int, out: Path) -> int:
    chosen: dict[str, Any] = {
        "datasets": "events",
        "systems": ",".join(SYSTEMS),
        "rows": rows,
        "columns": columns,
        "rounds": rounds,
        "out": out,
    }
    arguments = [part for name, value in chosen.items() for part in (f"--{name}", str(value))]
    return subprocess.run([sys.executable, str(CODE / "optimize" / "bench.py"), *arguments], check=False).returncode


def _parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make sizes BENCH_ARGS=...", description=__doc__)
    parser.add_argument("--rows", type=_numbers, default=list(SIZES), help="sizes, separated by commas")
    parser.add_argument("--columns", choices=("2", "4"), nargs="+", default=["2", "4"], help="2, 4 or both")
    parser.add_argument("--rounds", type=positive(int), default=2, help="times to measure each system (default: 2)")
    parser.add_argument("--reuse", action="store_true", help="take the results that an earlier run has left")
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"folder of the report (default: {RESULTS})")
    return parser.parse_args(arguments)


def _numbers(text: str) -> list[float]:
    return [positive(int)(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
