# SPDX-License-Identifier: Apache-2.0

"""The demo on some of the flights: its figures agree with a count by hand in the Delta logs that it leaves."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from launching import ROOT, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.long

ROWS = 20_000
STATES = ("shuffled", "by-delta", "flights")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder with the demo's tables, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, str(ROOT / "demo" / "flights.py"), "--rows", str(ROWS), "--folder", str(folder)]
    command.append("--compare-encoder")
    done = run(command, folder)
    assert done.returncode == 0
    assert done.stderr == ""
    return folder, done.stdout


def live_files(folder: Path, state: str) -> list[dict[str, Any]]:
    """The `add` actions of a table's newest version, statistics parsed; from the log's files, without Spark."""
    table = folder / (state if state == "flights" else f"{state}-{ROWS}")
    live: dict[str, dict[str, Any]] = {}
    for commit in sorted((table / "_delta_log").glob("*.json")):
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            if "remove" in action:
                del live[action["remove"]["path"]]
            if "add" in action:
                live[action["add"]["path"]] = {**action["add"], "stats": json.loads(action["add"]["stats"])}
    return list(live.values())


def figures(text: str, title: str) -> list[str]:
    """The cells behind a line's title, three states of the table."""
    (line,) = [line for line in text.splitlines() if line.startswith(title)]
    return re.split(r"\s{2,}", line[len(title) :].strip())


def low_high(file: dict[str, Any], column: str) -> tuple[float, float] | None:
    low, high = file["stats"]["minValues"].get(column), file["stats"]["maxValues"].get(column)
    return None if low is None else (low, high)


def meets(file: dict[str, Any], column: str, low: float, high: float) -> bool:
    found = low_high(file, column)
    return found is not None and found[0] <= high and found[1] >= low


def test_rows_files_and_bytes(demo: tuple[Path, str]) -> None:
    folder, text = demo
    tables = [live_files(folder, state) for state in STATES]

    assert figures(text, "flights  ") == [f"{ROWS:,}"] * 3
    assert [sum(f["stats"]["numRecords"] for f in table) for table in tables] == [ROWS] * 3
    assert figures(text, "files  ") == [str(len(table)) for table in tables]
    assert len(tables[0]) == 48
    assert 32 <= len(tables[2]) <= 64
    assert figures(text, "megabytes  ") == [f"{sum(f['size'] for f in table) / 1e6:.1f}" for table in tables]


QUERIES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "San Francisco": lambda f: meets(f, "dest_lat", 37.2, 37.9) and meets(f, "dest_lon", -122.6, -121.7),
    "Florida": lambda f: (
        meets(f, "dest_lat", -90, 30.5999)
        and meets(f, "dest_lon", -87.6, -80.0)
        and meets(f, "dep_delay", 181, float("inf"))
    ),
    "O'Hare": lambda f: (
        meets(f, "dest_lat", 41.978603, 41.978603)
        and meets(f, "dest_lon", -87.904842, -87.904842)
        and meets(f, "dep_delay", 60, 60)
    ),
}


def test_files_read_by_queries(demo: tuple[Path, str]) -> None:
    folder, text = demo
    tables = [live_files(folder, state) for state in STATES]
    lines = [line for line in text.splitlines() if line.startswith("    files read")]

    for line, meets_query in zip(lines, QUERIES.values(), strict=True):
        printed = [int(cell.split()[0]) for cell in re.findall(r"\d+ of \d+", line)]
        assert printed == [sum(map(meets_query, table)) for table in tables]
        assert printed[2] < printed[0]


def test_shares_of_files_by_column(demo: tuple[Path, str]) -> None:
    """Row by row with Delta's ranges; the values come from the table's own Parquet files."""
    parquet = pytest.importorskip("pyarrow.parquet")
    folder, text = demo
    for column in ("dest_lat", "dest_lon", "dep_delay"):
        for position, state in enumerate(STATES):
            table = live_files(folder, state)
            root = folder / (state if state == "flights" else f"{state}-{ROWS}")
            frames = [parquet.ParquetFile(root / f["path"]).read(columns=[column])[column] for f in table]
            values = [value for frame in frames for value in frame.to_pylist() if value is not None]
            read = sum(sum(meets(f, column, value, value) for f in table) for value in values)
            share = read / len(values) / len(table)
            assert figures(text, f"  {column}")[position] == f"{share:.3f}"


def test_checks_are_printed(demo: tuple[Path, str]) -> None:
    _, text = demo

    assert "Same answers from all three tables: yes" in text
    assert "Same rows before and after, each as often: yes" in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_encoder_makes_the_files_of_sparks_writer(demo: tuple[Path, str]) -> None:
    folder, text = demo
    files = len(live_files(folder, "flights"))
    assert figures(text, "Files of the encoder that Spark's own writer makes byte for byte:") == [f"{files} of {files}"]
