# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scale.marks import marks
from scale.report import markdown
from scale.seed import link

if TYPE_CHECKING:
    from pathlib import Path


def test_links_have_the_names_and_the_files_of_the_first_partition(tmp_path: Path) -> None:
    first = tmp_path / "part=0"
    first.mkdir()
    for name in ("b.parquet", "a.parquet", ".a.parquet.crc"):
        (first / name).write_text(name)
    made = link(first, 3, tmp_path / "others")
    assert [folder.name for folder in made] == ["part=1", "part=2"]
    assert sorted(file.name for file in made[1].iterdir()) == ["a.parquet", "b.parquet"]
    assert (made[0] / "a.parquet").samefile(first / "a.parquet")


def _results(files: int) -> dict[str, Any]:
    def taken(seconds: float, peak: int = 2**30) -> dict[str, Any]:
        return {"seconds": seconds, "peak": peak, "held": 2**29, "index": 250, "files": 3, "tasks": 2}

    plans = [taken(0.5) | {"asked": "nothing", "by_index": True}, taken(0.4) | {"asked": "nothing", "by_index": False}]
    planned = {"listing": taken(5), "first": taken(4), "again": taken(2), "plans": plans}
    statements = {"statements": {"incremental OPTIMIZE, nothing to do": taken(12)}}
    return {
        "flags": {"files": files, "partitions": 100, "command": "make scale", "memory": "2g"},
        "built": {"parquet": {"files": files}},
        "found": {"parquet_first": planned, "parquet_path": statements, "delta": {"failed": "killed"}},
        "about": {"Spark": "4.2.0"},
    }


def test_marks_are_those_of_the_number_of_files() -> None:
    found = {mark.name: (mark.found, mark.verdict) for mark in marks(_results(100_000))}
    assert found == {
        "warm: nothing, by the index / without": ("1.25", "kept"),
        "cold: the first plan of a JVM": ("4.00 s", "MISSED"),
        "cold: a new version of the index": ("2.00 s", "kept"),
        "nothing to do, parquet, path": ("12.00 s", "MISSED"),
    }
    large = {mark.name: mark.verdict for mark in marks(_results(1_000_000))}
    assert large["cold: the first plan of a JVM"] == "kept"
    assert large["heap, at its peak"] == "kept"
    assert "nothing to do, parquet, path" not in large


def test_the_report_has_what_failed() -> None:
    text = markdown(_results(100_000))
    assert "| nothing, skipping off" in text
    assert "## Delta, with the extension\n\nkilled\n" in text
    assert "| incremental OPTIMIZE, nothing to do |   12.00 |" in text
