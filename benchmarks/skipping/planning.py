# SPDX-License-Identifier: Apache-2.0

"""What it takes to plan a lookup on a table of very many files."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

from common.plans import metric, scan
from skipping.many_files import ROWS, many_files

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ENABLED = "spark.sql.zorder.skipping.enabled"
_WARM_UP = 5


def planning(spark: SparkSession, folder: Path, files: int, rounds: int) -> dict[str, Any]:
    """Plans with and without the index, in turns, after rounds that are not counted.

    Args:
        spark: with the extension.
        folder: for the table.
        files: of the table.
        rounds: how often each is measured.

    Returns:
        `files`, `analyze_seconds`, `cold` (the first plan of all, with an index not read before), and `cases`.
    """
    table = many_files(spark, folder, files)
    path = f"parquet.`{table}`"
    start = time.perf_counter()
    spark.sql(f"ANALYZE TABLE {path} COMPUTE FILE STATISTICS FOR COLUMNS a, b, c, d").collect()
    analyzed = time.perf_counter() - start
    spark.read.parquet(str(table)).createOrReplaceTempView("many")
    cases = _cases(files, path)
    cold = _plan(spark, *cases["nothing"])
    found: dict[str, list[dict[str, float]]] = {name: [] for name in cases}
    for number in range(-_WARM_UP, rounds):
        for name, case in cases.items():
            # To list is Spark's own work, slow, and not what is asked for: it is measured once.
            if case[0] == "many" or number in (-1, 0):
                plan = _plan(spark, *case)
                found[name] += [plan] if number >= 0 else []
    spark.conf.set(ENABLED, "true")
    return {
        "files": files,
        "analyze_seconds": analyzed,
        "cold": cold,
        "cases": {name: _medians(plans) for name, plans in found.items()},
    }


def _cases(files: int, path: str) -> dict[str, tuple[str, str, bool]]:
    """Source, condition, and whether the index is used, by name."""
    one = files // 200 * ROWS + 3
    none = "a = -1 AND b = TIMESTAMP'1999-01-01 00:00:00' AND c = '-' AND d = 2"
    return {
        "nothing": ("many", none, True),
        "nothing, by one column": ("many", "a = -1", True),
        "one file of each folder": ("many", f"a = {one} AND d >= 0", True),
        "one file": ("many", f"a = {one} AND d >= 0 AND part = 7", True),
        "nothing, without the index": ("many", none, False),
        "one file of each folder, without the index": ("many", f"a = {one} AND d >= 0", False),
        "nothing, listed again": (path, none, True),
        "nothing, listed again, without the index": (path, none, False),
    }


def _plan(spark: SparkSession, source: str, condition: str, by_index: bool) -> dict[str, float]:
    """Everything up to the tasks, which are made but not started."""
    spark.conf.set(ENABLED, str(by_index).lower())
    start = time.perf_counter()
    frame = spark.sql(f"SELECT a, b, c, d FROM {source} WHERE {condition}")
    execution = frame._jdf.queryExecution()
    execution.executedPlan()
    planned = time.perf_counter()
    tasks = execution.toRdd().getNumPartitions()
    end = time.perf_counter()
    node = scan(frame)
    return {
        "seconds": end - start,
        "plan_seconds": planned - start,
        "index_milliseconds": metric(node, "indexTime") or 0,
        "listing_milliseconds": metric(node, "metadataTime") or 0,
        "files": metric(node, "numFiles") or 0,
        "pruned": metric(node, "filesPrunedByIndex") or 0,
        "tasks": tasks,
    }


def _medians(plans: list[dict[str, float]]) -> dict[str, float]:
    return {key: median(plan[key] for plan in plans) for key in plans[0]}
