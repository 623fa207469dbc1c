# SPDX-License-Identifier: Apache-2.0

"""What it takes to plan a query, with the index and without."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from common.plans import metric, scan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from scale.heap import Heap, Taken

ENABLED = "spark.sql.zorder.skipping.enabled"
# What a query asks for; `a` has a million values, a file of a partition has a thirtieth of them.
CONDITIONS = {
    "nothing": "a = -1 AND b = TIMESTAMP'1999-01-01 00:00:00'",
    "one file of each partition": "a = 500000 AND b = TIMESTAMP'2026-07-01 00:00:00'",
    "one partition": "a = 500000 AND part = 7",
}
_WARM_UP = 4


def plan(spark: SparkSession, heap: Heap, table: str, condition: str, *, by_index: bool = True) -> dict[str, Any]:
    """Everything from the text of a query up to its tasks, which are made but not started."""
    spark.conf.set(ENABLED, str(by_index).lower())
    found: dict[str, Any] = {}

    def run() -> None:
        frame = spark.sql(f"SELECT a, b, c, d FROM {table} WHERE {condition}")
        execution = frame._jdf.queryExecution()
        execution.executedPlan()
        found["tasks"] = execution.toRdd().getNumPartitions()
        found["node"] = scan(frame)

    taken: Taken = heap.of(run)
    spark.conf.set(ENABLED, "true")
    node = found.pop("node")
    return found | taken._asdict() | {"files": metric(node, "numFiles") or 0, "index": metric(node, "indexTime") or 0}


def warm(spark: SparkSession, heap: Heap, table: str, rounds: int) -> list[dict[str, Any]]:
    """Medians of each condition with the index and without, in turns, after rounds that are not counted."""
    plans: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for number in range(-_WARM_UP, rounds):
        for name, condition in CONDITIONS.items():
            for by_index in (True, False):
                one = plan(spark, heap, table, condition, by_index=by_index)
                if number >= 0:
                    plans.setdefault((name, by_index), []).append(one)
    return [{"asked": name, "by_index": by_index} | _medians(of) for (name, by_index), of in plans.items()]


def _medians(plans: list[dict[str, Any]]) -> Mapping[str, float]:
    return {key: median(one[key] for one in plans) for key in plans[0]}
