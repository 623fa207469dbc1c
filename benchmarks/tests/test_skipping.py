# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from skipping.queries import KINDS, lookups
from skipping.report import differing, markdown


def run(system: str, kind: str, condition: str, **changes: Any) -> dict[str, Any]:
    made = {
        "system": system,
        "kind": kind,
        "condition": condition,
        "of": 512,
        "result": ["1", "7"],
        "files": 3,
        "file_bytes": 2_000_000,
        "read_bytes": 1_000_000,
        "seconds": 0.5,
        "planning_seconds": 0.1,
    }
    return made | changes


def test_every_kind_for_every_row() -> None:
    found = lookups([(7, "2026-05-01 01:02:03.5"), (8, "2026-05-02 00:00:00")])
    assert len(found) == 2 * len(KINDS)
    assert {lookup.kind for lookup in found} == set(KINDS)
    assert found[0].condition == "user_id = 7"
    assert "FROM t WHERE user_id = 8" in found[1].sql("t")
    assert not any("{" in lookup.condition for lookup in found)


def test_systems_must_agree() -> None:
    runs = [run("a", "a user", "x = 1"), run("b", "a user", "x = 1"), run("a", "a user", "x = 2", result=["0", "None"])]
    assert differing(runs) == []
    assert differing([*runs, run("b", "a user", "x = 2")]) == ["x = 2"]


def test_report_has_means_of_each_system() -> None:
    runs = [
        run("a", "a user", "x = 1", files=1),
        run("a", "a user", "x = 2", files=4),
        run("b", "a user", "x = 1", files=None),
    ]
    flags = {"command": "make skipping", "rows": 10, "values": 2, "rounds": 3}
    text = markdown(runs, None, flags, {"Spark": "4.2.0"})
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert ["a", "2.5", "512", "2.00", "1.00", "0.500", "0.100"] in lines
    assert ["b", "-", "512", "2.00", "1.00", "0.500", "0.100"] in lines
    assert "Results of all systems are the same." in text
    assert "- Spark: 4.2.0" in text
    assert "Planning" not in text


def test_report_of_planning() -> None:
    case = {
        "seconds": 0.25,
        "index_milliseconds": 100,
        "listing_milliseconds": 150,
        "files": 0,
        "pruned": 9,
        "tasks": 0,
    }
    planning = {"files": 9, "analyze_seconds": 2.2, "cold": case | {"seconds": 1.5}, "cases": {"nothing": case}}
    text = markdown([], planning, {"command": "x", "rows": 1, "values": 1, "rounds": 1}, {})
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert ["nothing", "0.250", "0.100", "0.150", "0", "9", "0"] in lines
    assert ["nothing, the very first", "1.500", "0.100", "0.150", "0", "9", "0"] in lines
