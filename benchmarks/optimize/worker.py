# SPDX-License-Identifier: Apache-2.0

"""The measured process: times one system on fresh copies of a table, after a first round that does not count.

    python worker.py SPEC RESULT

Writes `first` with the times of the first round, `rounds` with measures and live files, `versions`, and `error` if
something failed.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.processes import Stopwatch
from optimize.delta_log import live_files
from optimize.spec import load_spec
from optimize.systems import SYSTEMS

if TYPE_CHECKING:
    from optimize.runners.runner import Runner
    from optimize.spec import Spec


def main() -> int:
    """Runs what the spec says; the exit code is 1 if it failed."""
    spec = load_spec(Path(sys.argv[1]))
    result: dict[str, Any] = {
        "first": None,
        "rounds": [],
        "versions": {"python": platform.python_version()},
        "error": None,
    }
    try:
        _run(spec, result)
    except Exception as error:
        traceback.print_exc()
        result["error"] = _first_line(error)
    Path(sys.argv[2]).write_text(json.dumps(result, indent=1))
    return 1 if result["error"] else 0


def _run(spec: Spec, result: dict[str, Any]) -> None:
    runner: Runner = import_module(f"optimize.runners.{SYSTEMS[spec.system].module}").runner(spec)
    try:
        result["versions"] |= runner.versions()
        source, work = Path(spec.source), Path(spec.work)
        first = _round(runner, source, work / "first", spec.files)
        result["first"] = {figure: first[figure] for figure in ("wall_seconds", "cpu_seconds")}
        scale = len(first["files"]) / spec.files if runner.calibrates else 1.0
        for number in range(1, spec.rounds + 1):
            result["rounds"].append(_round(runner, source, work / f"round-{number}", spec.files, scale))
    finally:
        runner.close()


def _round(runner: Runner, source: Path, target: Path, files: int, scale: float = 1.0) -> dict[str, Any]:
    """Rewrites a fresh copy of a table into so many files, of `scale` times the even size."""
    sizes = [path.stat().st_size for path in live_files(source)]
    # Rounded down: Delta rounds the number of files down itself.
    statement = runner.prepare(source, target, files, int(sum(sizes) * scale / files))
    _settle(target)
    runner.collect_garbage()
    watch = Stopwatch()
    statement()
    measure = watch.stop()
    print(f"{target.name}: {measure}", flush=True)
    return asdict(measure) | {"files": [str(path) for path in runner.live_files(target)]}


def _settle(folder: Path) -> None:
    """Lets pending writes reach the disk, and the page cache hold the table."""
    os.sync()
    for path in folder.rglob("*.parquet"):
        with path.open("rb") as file:
            while file.read(1 << 22):
                pass


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:500]


if __name__ == "__main__":
    sys.exit(main())
