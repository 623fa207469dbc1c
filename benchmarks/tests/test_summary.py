# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from common.footers import decoded
from optimize.event_log import SparkWork, spark_work
from optimize.summary import keep, mean_shares, medians, ratio, same_rows
from optimize.targets import floor, target

if TYPE_CHECKING:
    from pathlib import Path


def test_medians_leave_out_what_is_not_measured() -> None:
    found = medians([{"wall_seconds": 3.0, "jobs": None}, {"wall_seconds": 1.0, "jobs": None}])
    assert found["wall_seconds"] == 2
    assert found["jobs"] is None
    assert medians([])["wall_seconds"] is None


def test_rounds_of_a_system_that_is_named_again_count_together() -> None:
    def result(system: str, *seconds: float, **changes: object) -> dict[str, Any]:
        rounds = [{"wall_seconds": s} for s in seconds]
        about = {"dataset": "events", "columns": ["a"], "system": system, "error": None, "same_rows": True}
        return about | {"rounds": rounds, "medians": medians(rounds)} | changes

    results: list[dict[str, Any]] = []
    for one in (result("ours", 5, 4), result("copy", 9), result("ours", 7, 6, 8, same_rows=False)):
        keep(results, one)
    assert [r["system"] for r in results] == ["ours", "copy"]
    assert results[0]["medians"]["wall_seconds"] == 6
    assert results[0]["same_rows"] is False
    keep(results, result("copy", error="no memory"))
    assert results[1]["error"] == "no memory"


def test_mean_shares_by_level() -> None:
    shares = {
        "a": {"files": 0.25, "row_groups": 0.5, "pages": None},
        "b": {"files": 0.75, "row_groups": 0.5, "pages": None},
    }
    assert mean_shares(shares) == {"files": 0.5, "row_groups": 0.5, "pages": None}


def test_ratio_needs_both() -> None:
    ours = {"error": None, "medians": {"wall_seconds": 2.0}}
    assert ratio(ours, {"error": None, "medians": {"wall_seconds": 4.0}}) == 0.5
    assert ratio(ours, {"error": "failed", "medians": {}}) is None
    assert ratio(None, ours) is None


def test_rows_and_checksum_must_agree() -> None:
    facts = {"rows": 5, "checksum": "12"}
    assert same_rows({"rounds": [{"rows": 5}, {"rows": 5}], "checksum": "12"}, facts)
    assert not same_rows({"rounds": [{"rows": 5}, {"rows": 4}], "checksum": "12"}, facts)
    assert not same_rows({"rounds": [{"rows": 5}], "checksum": "13"}, facts)


def test_targets_are_for_the_events() -> None:
    assert target("events", "ours-zorder", "delta-zorder", 4) == 0.35
    assert target("events", "ours-iceberg", "iceberg-zorder", 4) == 0.35
    assert target("events", "ours-iceberg", "delta-zorder", 4) is None
    assert target("store_sales", "ours-zorder", "delta-zorder", 4) is None
    assert target("events", "ours-zorder", "delta-liquid", 2) is None
    assert floor(64, 2) == pytest.approx(0.125)


def test_bounds_of_pages() -> None:
    assert decoded(b"\xff\xff\xff\xff", "INT32", "null") == -1
    assert decoded(b"\x00" * 6 + b"\xf0\x3f", "DOUBLE", "null") == 1.0
    assert decoded(b"\xff\x00", "FIXED_LEN_BYTE_ARRAY", "DECIMAL(4,2)") == -256
    assert decoded(b"DE", "BINARY", "STRING") == b"DE"


def test_work_of_a_span_of_time(tmp_path: Path) -> None:
    def stage(submitted: int, written: int) -> dict[str, object]:
        counters = [
            {"Name": "internal.metrics.shuffle.write.bytesWritten", "Value": written},
            {"Name": "x", "Value": 1},
        ]
        return {
            "Event": "SparkListenerStageCompleted",
            "Stage Info": {"Submission Time": submitted, "Accumulables": counters},
        }

    jobs = [{"Event": "SparkListenerJobStart", "Submission Time": time} for time in (9, 10, 20, 21)]
    events = [*jobs, stage(5, 100), stage(15, 30), stage(16, 3), {"Event": "SparkListenerOther"}]
    (tmp_path / "log").write_text("".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events))
    assert spark_work(tmp_path, 10, 20) == SparkWork(2, 33)
    assert spark_work(tmp_path / "absent", 10, 20) is None
