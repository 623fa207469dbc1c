# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

import pytest

from optimize.arguments import parsed
from optimize.report import markdown
from optimize.summary import mean_shares, medians
from optimize.systems import SYSTEMS

FLAGS = {"memory": "8g", "rounds": 2, "files": 64}
MACHINE = {"processor": "a processor", "cores": 2, "memory_bytes": 8 << 30, "kernel": "Linux 6"}


def result(system: str, seconds: float, share: float, **changes: Any) -> dict[str, Any]:
    rounds = [{"wall_seconds": seconds, "cpu_seconds": 9.0, "files_out": 64, "bytes_out": 1_000_000, "rows": 5}]
    shares = {column: {"files": share, "row_groups": share, "pages": share / 2} for column in ("user_id", "item_id")}
    made = {
        "dataset": "events",
        "columns": ["user_id", "item_id"],
        "system": system,
        "label": SYSTEMS[system].label,
        "rounds": rounds,
        "medians": medians(rounds),
        "shares": shares,
        "mean_shares": mean_shares(shares),
        "same_rows": True,
        "error": None,
    }
    return made | changes


def document(*results: dict[str, Any]) -> dict[str, Any]:
    sources = {"events": {"rows": 5, "bytes": 2_000_000, "files": 64}}
    about = {"date": "2026-01-01", "machine": MACHINE, "flags": FLAGS, "versions": {"Spark": "4.2.0"}}
    return about | {"sources": sources, "results": list(results)}


def cells(report: str, start: str) -> list[list[str]]:
    lines = [line for line in report.splitlines() if line.startswith(f"| {start} ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_targets_passed_missed_and_not_measured() -> None:
    failed = result("delta-rs-zorder", 1, 1, error="no | memory", rounds=[], shares={}, medians=medians([]))
    report = markdown(
        document(result("ours-zorder", 5, 0.126), result("delta-zorder", 20, 0.2), result("copy", 3, 1), failed),
        "chart.png",
    )
    assert cells(report, "Delta OPTIMIZE ZORDER BY")[0][3:] == ["0.25", "0.4", "passed"]
    assert cells(report, "read + write")[0][3:] == ["1.67", "0.9", "**missed**"]
    assert cells(report, "delta-rs optimize.z_order")[0][3:] == ["-", "1", "not measured"]
    assert r"failed: no \| memory" in report
    assert "0.126 of its files on average: 1.01 times files ^ (-1 / columns), 0.125" in report
    assert "0.63 times what Delta OPTIMIZE ZORDER BY reads" in report
    assert "![Wall seconds and shares read](chart.png)" in report
    assert "ROWS DIFFER" not in report


def test_targets_on_iceberg() -> None:
    report = markdown(document(result("ours-iceberg", 7, 0.126), result("iceberg-zorder", 21, 0.24)), None)
    (_, line) = cells(report, SYSTEMS["iceberg-zorder"].label)[:2]
    assert line[1:] == [SYSTEMS["ours-iceberg"].label, "2", "0.33", "0.35", "passed"]


def test_a_shared_machine_is_told() -> None:
    disturbed = result("copy", 3, 1)
    disturbed["medians"]["others_cpu_seconds"] = 0.7
    report = markdown(document(result("repartition", 3, 1), disturbed), None)
    assert "**Other processes took CPU time during the run:** read + write (0.7 s)." in report


def test_changed_rows_stand_at_the_top() -> None:
    report = markdown(document(result("copy", 3, 1, same_rows=False)), None)
    assert report.splitlines()[2] == "**ROWS DIFFER FROM THE SOURCE: read + write on events, 2 columns.**"
    assert "**DIFFER**" in report
    assert "![" not in report


def test_every_flag_is_checked() -> None:
    assert parsed([]).systems == list(SYSTEMS)
    assert parsed(["--systems", "copy,delta-zorder", "--columns", "4"]).systems == ["copy", "delta-zorder"]
    for wrong in (["--systems", "spark"], ["--columns", "3"], ["--rows", "0"], ["--memory", "8"], ["--datasets", ","]):
        with pytest.raises(SystemExit):
            parsed(wrong)
