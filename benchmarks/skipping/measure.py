# SPDX-License-Identifier: Apache-2.0

"""Runs lookups on several tables of one session in turns, and finds out what each has read."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from common.plans import metric, scan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from skipping.queries import Lookup


class Table(NamedTuple):
    """What a system reads: the table's name in SQL, its number of files, and settings of the session."""

    name: str
    files: int
    settings: Mapping[str, str]


def measure(
    spark: SparkSession, tables: Mapping[str, Table], lookups: Sequence[Lookup], rounds: int
) -> list[dict[str, Any]]:
    """Every lookup on every table: once unmeasured, then `rounds` times, the tables in turns.

    Returns:
        For each system and lookup its result, files, bytes, and the medians of its times.
    """
    found: dict[tuple[str, Lookup], list[dict[str, Any]]] = {}
    for number in range(-1, rounds):
        for lookup in lookups:
            for system, table in tables.items():
                for key, value in table.settings.items():
                    spark.conf.set(key, value)
                once = run_once(spark, lookup.sql(table.name))
                if number >= 0:
                    found.setdefault((system, lookup), []).append(once)
    return [
        {"system": system, "kind": lookup.kind, "condition": lookup.condition, "of": tables[system].files}
        | runs[-1]
        | {key: median(run[key] for run in runs) for key in ("seconds", "planning_seconds")}
        for (system, lookup), runs in found.items()
    ]


def run_once(spark: SparkSession, sql: str) -> dict[str, Any]:
    """Runs a query of which the first row is its result, and finds what it read and how long it took."""
    context = spark.sparkContext
    context.setJobGroup("plan", sql)
    began, start = time.time(), time.perf_counter()
    frame = spark.sql(sql)
    frame._jdf.queryExecution().executedPlan()
    # What a system plans by jobs of its own is told from the query's jobs.
    group = f"run {began}"
    context.setJobGroup(group, sql)
    result = frame.collect()[0]
    seconds = time.perf_counter() - start
    context._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]
    submitted, read = _work(spark, group)
    node = scan(frame)
    return {
        "result": [str(value) for value in result],
        "files": metric(node, "numFiles", "resultDataFiles"),
        "file_bytes": metric(node, "filesSize", "totalDataFileSize"),
        "read_bytes": read,
        "seconds": seconds,
        "planning_seconds": max(0.0, submitted - began) if submitted else seconds,
    }


def _work(spark: SparkSession, group: str) -> tuple[float | None, int]:
    """When the first job of a group was submitted, and the bytes that its tasks read."""
    store: Any = spark.sparkContext._jsc.sc().statusStore()  # type: ignore[union-attr]
    jobs = [store.job(number) for number in spark.sparkContext.statusTracker().getJobIdsForGroup(group)]
    stages = {job.stageIds().apply(i) for job in jobs for i in range(job.stageIds().size())}
    times = [job.submissionTime().get().getTime() / 1000 for job in jobs]
    return min(times, default=None), sum(store.lastStageAttempt(stage).inputBytes() for stage in stages)
