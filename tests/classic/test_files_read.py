# SPDX-License-Identifier: Apache-2.0

"""What scans really read, before and after, agrees with the layout that is described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from points import FILES, bytes_per_file, create_points

from scans import run_counting_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def files_read(spark: SparkSession, name: str, predicate: str, state: str) -> int:
    query = f"SELECT sum(id) FROM {name} WHERE {predicate}"
    return run_counting_files(spark, query, f"{state}: {predicate}")[1]


def test_scans_read_the_files_whose_ranges_meet_the_predicate(spark: SparkSession) -> None:
    name = create_points(spark, "scanned")
    assert files_read(spark, name, "x = 17", "before") == FILES

    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{bytes_per_file(spark, name)}')")

    boxes: dict[str, dict[str, tuple[int, int]]] = {}
    for row in spark.sql(f"DESCRIBE LAYOUT EXTENDED {name} ON (x, y)").collect():
        boxes.setdefault(row["file"], {})[row["column"]] = (int(row["min"]), int(row["max"]))
    expected = {
        "x = 17": sum(b["x"][0] <= 17 <= b["x"][1] for b in boxes.values()),
        "y = 63": sum(b["y"][0] <= 63 <= b["y"][1] for b in boxes.values()),
        "x BETWEEN 3 AND 20": sum(b["x"][0] <= 20 and b["x"][1] >= 3 for b in boxes.values()),
        "x = 2 AND y > 50": sum(b["x"][0] <= 2 <= b["x"][1] and b["y"][1] > 50 for b in boxes.values()),
    }
    assert {predicate: files_read(spark, name, predicate, "after") for predicate in expected} == expected
    assert expected["x = 17"] < len(boxes)
