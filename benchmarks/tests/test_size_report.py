# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from test_report import cells, document, result

from optimize.size_report import markdown
from optimize.summary import medians


def test_growth_is_time_per_row() -> None:
    small = document(result("ours-zorder", 5, 0.1), result("delta-rs-zorder", 10, 0.1))
    large = document(result("ours-zorder", 18, 0.1), result("delta-rs-zorder", 40, 0.1))
    large["sources"] = {"events": {"rows": 20, "bytes": 8_000_000, "files": 64}}
    report = markdown([large, small])
    assert "## events, 2 columns" in report
    # rows, MB, label, first, wall, ours / theirs, growth, ...
    assert [line[3:7] for line in cells(report, "5")] == [
        ["-", "5.0", "1.00", "1.00"],
        ["-", "10.0", "0.50", "1.00"],
    ]
    assert [line[4:7] for line in cells(report, "20")] == [["18.0", "1.00", "0.90"], ["40.0", "0.45", "1.00"]]


def test_a_system_that_failed() -> None:
    failed = result("delta-rs-zorder", 1, 1, error="no memory", rounds=[], shares={}, medians=medians([]))
    report = markdown([document(result("ours-zorder", 5, 0.1), failed)])
    assert cells(report, "5")[1][3:7] == ["-", "-", "-", "-"]
