# SPDX-License-Identifier: Apache-2.0

"""Our extension before and after Delta's, and alone without Delta on the class path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from launching import DELTA, ZORDER, answers, settings

if TYPE_CHECKING:
    from pathlib import Path

PARAMETERS = [
    ("SELECT :x + 1", {"x": 1}),
    ("SELECT ? || ?", ["a", "b"]),
    ("SELECT id FROM range(5) WHERE id = :id", {"id": 3}),
]


@pytest.mark.long
def test_either_order_with_delta(tmp_path: Path) -> None:
    """Delta's parser reads the statement if its extension is listed last; ours carries it out all the same."""
    questions: list[tuple[str, Any]] = [
        ("CREATE TABLE t USING delta AS SELECT /*+ REPARTITION(4, id) */ id, id % 7 AS x FROM range(100)", None),
        ("OPTIMIZE t ZORDER BY (x, id)", None),
        ("SELECT sum(id), count(*) FROM t", None),
        ("DESCRIBE LAYOUT t ON (x)", None),
        ("SELECT hex(interleave_bits(1, 0)), range_partition_id(1, 2)", None),
        ("OPTIMIZE t", None),
    ]

    conf = settings(tmp_path, [ZORDER, DELTA])
    _, optimized, sums, layout, functions, own = answers(tmp_path, conf, questions)

    ((path, metrics, gains, _),) = optimized
    assert path.endswith("/warehouse/t")
    assert metrics[1] == 4
    assert [gain[0] for gain in gains] == ["x", "id"]
    assert sums == [[4950, 100]]
    assert layout[0][:2] == ["x", 1]
    assert functions == [["0000000000000002", 0]]
    assert len(own[0]) == 2


@pytest.mark.long
def test_parameters_reach_our_statements_when_ours_is_the_outer_parser(tmp_path: Path) -> None:
    questions: list[tuple[str, Any]] = [
        ("CREATE TABLE t USING delta PARTITIONED BY (x) AS SELECT id, id % 3 AS x FROM range(30)", None),
        *PARAMETERS,
        ("OPTIMIZE t WHERE x = :x ZORDER BY (id)", {"x": 2}),
        ("OPTIMIZE t WHERE x = ? ZORDER BY (id) OPTIONS (target_file_size = ?)", [1, "1m"]),
        ("OPTIMIZE t WHERE x = :missing ZORDER BY (id)", {"x": 2}),
    ]

    _, *found = answers(tmp_path, settings(tmp_path, [DELTA, ZORDER]), questions)

    assert found[:3] == [[[2]], [["ab"]], [[3]]]
    assert [rows[0][1][4] for rows in found[3:5]] == [1, 1]
    assert found[5]["condition"] == "UNBOUND_SQL_PARAMETER"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a session with our extension only says, without Delta's jars."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "table" / "_delta_log").mkdir(parents=True)
    questions = [
        *PARAMETERS,
        (f"OPTIMIZE delta.`{folder}/table` ZORDER BY (x)", None),
        (f"DESCRIBE LAYOUT '{folder}/table'", None),
        ("SELECT hex(interleave_bits(3, 2, 1))", None),
        ("SELECT v, range_partition_id(v, 2) FROM VALUES ('a'), ('b'), ('c'), ('d') AS t(v)", None),
        ("CREATE TABLE plain USING parquet AS SELECT 1 AS x", None),
        ("OPTIMIZE plain ZORDER BY (x) OPTIONS (force = true)", None),
        ("SELECT x FROM plain WHERE x = 1", None),
    ]
    found = answers(folder, settings(folder, [ZORDER], delta=False), questions)
    keys = [
        "named",
        "positional",
        "named in query",
        "optimize",
        "layout",
        "interleave",
        "ranges",
        "create",
        "parquet",
        "rows",
    ]
    return dict(zip(keys, found, strict=True))


def test_parameters_with_our_extension_alone(alone: dict[str, Any]) -> None:
    assert [alone["named"], alone["positional"], alone["named in query"]] == [[[2]], [["ab"]], [[3]]]


def test_functions_without_delta(alone: dict[str, Any]) -> None:
    assert alone["interleave"] == [["000000000000000000000035"]]
    assert alone["ranges"] == [["a", 0], ["b", 0], ["c", 1], ["d", 1]]


@pytest.mark.parametrize("statement", ["optimize", "layout"])
def test_a_delta_table_without_delta(alone: dict[str, Any], statement: str) -> None:
    error = alone[statement]

    assert (error["condition"], error["state"]) == ("ZORDER_DELTA_NOT_ON_CLASS_PATH", "56038")
    assert "io.delta:delta-spark_4.2_2.13:4.4.0" in error["message"]


def test_a_parquet_table_without_delta(alone: dict[str, Any]) -> None:
    ((path, metrics, _, _),) = alone["parquet"]
    assert path.endswith("/warehouse/plain")
    assert metrics[0] == 1
    assert alone["rows"] == [[1]]
