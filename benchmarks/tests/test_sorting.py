# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

import pytest

from common.shares import Bounds
from sorting.floors import floor
from sorting.marks import marks, others_share, over_floor
from sorting.reads import read_of
from sorting.report import markdown, wrong
from sorting.ways import WAYS, statements


def read(pages: int, share: float, named: int, files: int = 4) -> dict[str, Any]:
    return {
        "units": {"files": files, "row_groups": 8, "pages": pages},
        "share": {"files": 1.0, "row_groups": 0.5, "pages": share},
        "named": {"files": files, "row_groups": 4, "pages": named},
        "file_pages": [pages // files] * files,
    }


def way(wall: float, share: float, **changes: Any) -> dict[str, Any]:
    once = {
        "wall_seconds": wall,
        "cpu_seconds": 2 * wall,
        "others_cpu_seconds": 0.0,
        "peak_bytes": 1_000_000_000,
        "files": 4,
        "bytes": 170_000_000,
    }
    made = {
        "rounds": [once | {"wall_seconds": 100.0}, once, once],
        "values": {"x": 7, "y": 8},
        "checksum": [10, "1"],
        "read": {"x": read(400, share, 20), "y": read(400, share, 40)},
        "checked": {"lookups": 3, "differs": []},
    }
    return made | changes


def found(**ways: dict[str, Any]) -> dict[str, Any]:
    return {"ways": ways, "uniform": {}, "checksum": [10, "1"], "answer": ""}


FLAGS = {
    "command": "make sorting",
    "scale": 1.0,
    "tasks": 4,
    "page_rows": 5000,
    "row_group_mb": 16,
    "values": 100,
    "uniform_rows": 0,
}


def test_floor_of_tasks_and_of_a_table() -> None:
    assert floor([100] * 4, 2) == pytest.approx(0.1)
    assert floor([400], 2) == pytest.approx(0.05)
    assert floor([16, 64], 2) == pytest.approx((4 + 8) / 80)
    assert floor([16], 4) == pytest.approx(0.5)


def test_units_that_a_value_is_in() -> None:
    units = [Bounds(0, 4), Bounds(4, 9), Bounds(None, None), None]
    assert [read_of(units, value) for value in (4, 9, 10)] == [3, 2, 1]


def test_our_tables_have_properties() -> None:
    sql = statements(WAYS["raw"], "t", "a INT, b INT", ["a", "b"], "v", {})
    assert sql.prepare[-1] == (
        "CREATE TABLE t (a INT, b INT) USING parquet TBLPROPERTIES "
        "('sort.columns' = 'a,b', 'sort.order' = 'ZORDER', 'sort.key' = 'raw')"
    )
    assert sql.timed == ["INSERT INTO t SELECT * FROM v"]
    assert (
        statements(WAYS["unsorted"], "t", "a INT", ["a"], "v", {}).prepare[-1] == "CREATE TABLE t (a INT) USING parquet"
    )


def test_statements_of_peers() -> None:
    delta = statements(WAYS["delta-optimized"], "t", "a INT, b INT", ["a", "b"], "v", {})
    assert delta.prepare[-1] == "CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a, b)"
    assert delta.timed == ["INSERT INTO t SELECT * FROM v", "OPTIMIZE t"]
    iceberg = statements(WAYS["iceberg-local"], "t", "a INT, b INT", ["a", "b"], "v", {"k": "1"})
    assert iceberg.prepare[1:] == [
        "CREATE TABLE t (a INT, b INT) USING iceberg TBLPROPERTIES ('k' = '1')",
        "ALTER TABLE t WRITE LOCALLY ORDERED BY a, b",
    ]


def test_every_way_has_its_baseline() -> None:
    assert {way.against for way in WAYS.values()} <= set(WAYS)


def test_marks() -> None:
    ways = {"unsorted": way(10, 1.0), "local": way(12.9, 0.11), "global": way(17.1, 0.05)}
    shown = {mark.text: (mark.figure, mark.met) for mark in marks(ways)}
    assert shown["global: share of the pages that lookups of x skip"] == ("0.9500", True)
    assert shown["global: share of the pages that lookups of y skip, of Impala's value"] == ("0.9000", False)
    assert shown["local: share of the pages that lookups read, over the floor of 0.1000"] == ("1.100", True)
    assert shown["local: wall time over that of the unsorted write"] == ("1.290", True)
    assert shown["global: CPU time over that of the unsorted write"] == ("1.710", False)
    assert marks({"lexical": way(1, 1.0)}) == []


def test_floor_of_global_order_is_that_of_all_pages() -> None:
    columns = {"x": read(400, 0.05, 0), "y": read(400, 0.07, 0)}
    assert over_floor(columns, is_global=True) == (pytest.approx(0.06), pytest.approx(0.05))
    assert over_floor(columns, is_global=False)[1] == pytest.approx(0.1)


def test_report() -> None:
    shown = markdown(
        found(unsorted=way(10, 1.0), local=way(12, 0.11)) | {"uniform": {"2": {"local": way(1, 0.2)}}},
        FLAGS,
        {"Spark": "4.2.0", "cores": 2},
    )
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.splitlines()]
    assert ["z-order, local, by ranks", "3", "12.0", "1.20", "24.0", "1.20", "0.0", "1,000", "4", "170"] in lines
    read_of_x = ["z-order, local, by ranks", "x", "400", "8", "4", "44.0", "4.0", "4.0", "89.0%", "7", "20", "4", "4"]
    assert [*read_of_x, "95.0%"] in lines
    assert ["z-order, local, by ranks", "0.1100", "0.1000", "1.100"] in lines
    assert "In 9 lookups" in shown
    assert "## Uniform table, 2 columns" in shown
    assert "- Spark: 4.2.0" in shown
    assert "shared" not in shown
    assert "Iceberg" not in shown


def test_report_tells_what_is_wrong() -> None:
    bad = found(
        unsorted=way(10, 1.0, checksum=[9, "1"]), local=way(10, 1.0, checked={"lookups": 1, "differs": ["x: 1, 2"]})
    )
    assert len(wrong(bad)) == 2
    assert "**WRONG**" in markdown(bad, FLAGS, {"cores": 2})


def test_a_shared_machine_is_told() -> None:
    rounds = [{"wall_seconds": 10.0, "others_cpu_seconds": 5.0}] * 2
    assert others_share(rounds, 2) == pytest.approx(0.25)
    loud = way(10, 1.0)
    loud["rounds"] = [once | {"others_cpu_seconds": 50.0} for once in loud["rounds"]]
    assert "**The machine was shared**" in markdown(found(unsorted=loud), FLAGS, {"cores": 2})
