# SPDX-License-Identifier: Apache-2.0

"""Iceberg beside ours without Delta: our extension listed first, and the command line, which lists it last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from catalogs import EXTENSION, spark_jars

import spark_zorder
from launching import BIN, ZORDER, answers, flags, run, small

if TYPE_CHECKING:
    from pathlib import Path


def test_ours_first_and_then_the_command_line(tmp_path: Path) -> None:
    lake = {
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(tmp_path / "lake"),
    }
    conf = small(tmp_path) | lake
    conf["spark.jars"] = ",".join([spark_zorder.jar_path(), *spark_jars()])
    conf["spark.sql.extensions"] = f"{ZORDER},{EXTENSION}"
    questions: list[tuple[str, Any]] = [
        ("CREATE TABLE lake.db.t USING iceberg AS SELECT id, id % 7 AS x FROM range(1000)", None),
        ("OPTIMIZE lake.db.t WHERE 1 = :one ZORDER BY (x, id)", {"one": 1}),
        ("ALTER TABLE lake.db.t CREATE TAG here", None),
        ("SELECT count(*), sum(id) FROM lake.db.t VERSION AS OF 'here' WHERE id >= ?", [0]),
        ("SELECT hex(interleave_bits(1, 0))", None),
        ("CREATE TABLE plain USING parquet AS SELECT 1 AS x", None),
        ("OPTIMIZE plain ZORDER BY (x)", None),
        ("OPTIMIZE lake.db.t", None),
    ]

    _, optimized, _, counted, bits, _, plain, compaction = answers(tmp_path, conf, questions)

    assert optimized[0][1][0] == 1
    assert (counted, bits, len(plain)) == ([[1000, 499500]], [["0000000000000002"]], 1)
    assert compaction["condition"] == "ZORDER_ICEBERG_KEEPS_ITSELF"

    here = tmp_path / "here"
    here.mkdir()
    words = ["--by", "id,x", "--json", "--iceberg", *flags(small(tmp_path) | lake)]
    done = run([str(BIN / "spark-zorder"), "optimize", "lake.db.t", *words, "--jars", ",".join(spark_jars())], here)

    assert done.returncode == 0
    (row,) = json.loads(done.stdout)["rows"]
    assert [gain["column"] for gain in row["layout"]] == ["id", "x"]
