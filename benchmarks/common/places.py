# SPDX-License-Identifier: Apache-2.0

"""Where the benchmarks keep what they build: everything lies below .build/bench."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT / "benchmarks"
BENCH = ROOT / ".build" / "bench"
DATA = BENCH / "data"
RESULTS = BENCH / "results"
WORK = BENCH / "work"
DELTA_JARS = ROOT / ".build" / "delta-jars"

# One interpreter per environment, as `make bench` sets them up.
PYTHON = {
    "zorder": ROOT / ".venv" / "bin" / "python",
    "iceberg": BENCH / "venvs" / "iceberg" / "bin" / "python",
    "delta-rs": BENCH / "venvs" / "delta-rs" / "bin" / "python",
    "chart": BENCH / "venvs" / "chart" / "bin" / "python",
}


def jars(folder: Path) -> list[str]:
    """The jars of a folder.

    Raises:
        FileNotFoundError: there is none.
    """
    found = sorted(str(jar) for jar in folder.glob("*.jar"))
    if not found:
        raise FileNotFoundError(f"no jars in {folder}; run it through `make bench`")
    return found


def bench_jars(name: str) -> list[str]:
    """The jars of one of the peers: `iceberg`, `tpcds`, or `tpcds-queries`."""
    return jars(BENCH / "jars" / name)


def own_jar(minor: str) -> str:
    """Our jar for a minor of Spark.

    Raises:
        FileNotFoundError: it has not been built.
    """
    found = sorted((ROOT / "jvm" / "target").glob(f"**/scala-*/spark-zorder_{minor}_*.jar"))
    if not found:
        raise FileNotFoundError(f"no jar of ours for Spark {minor}; run it through `make bench`")
    return str(found[-1])
