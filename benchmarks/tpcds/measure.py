# SPDX-License-Identifier: Apache-2.0

"""Runs a query once: its answer, its seconds, and what it read of the facts."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from common.plans import folder, metric, scans
from tpcds.layouts import DELTA, FACTS, LOADED, OURS, database

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pyspark.sql import DataFrame, SparkSession

DYNAMIC = "spark.sql.zorder.skipping.dynamic"


class System(NamedTuple):
    """A layout, and whether keys of joins and first rows skip its files."""

    name: str
    layout: str
    prunes: bool

    def use(self, spark: SparkSession) -> None:
        """Lets the session's queries be of this system."""
        spark.catalog.setCurrentDatabase(database(self.layout))
        spark.conf.set(DYNAMIC, str(self.prunes).lower())


ARRIVED = System("load order", LOADED, prunes=False)
THEIRS = System("Delta's z-order", DELTA, prunes=False)
ALONE = System("its layout alone", OURS, prunes=False)
PRUNED = System("spark-zorder", OURS, prunes=True)
SYSTEMS = (ARRIVED, THEIRS, ALONE, PRUNED)


class TooLongError(Exception):
    """A query was ended after its limit."""


def run(spark: SparkSession, sql: str, limit: float, facts: Collection[str] = tuple(FACTS)) -> dict[str, Any]:
    """Runs a query on the current system.

    Args:
        spark: runs nothing else.
        sql: the query.
        limit: seconds after which it is ended.
        facts: tables of which it is told what was read.

    Returns:
        `answer`, its rows as text, sorted; `seconds` from the text to the rows, and of them `planning`; per fact
        `files`, `bytes` of these files, and files `pruned` by keys of joins.

    Raises:
        TooLongError: it was ended.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        spark.sparkContext.cancelAllJobs()

    timer = threading.Timer(limit, end)
    timer.start()
    start = time.perf_counter()
    try:
        frame = spark.sql(sql)
        frame._jdf.queryExecution().executedPlan()
        planned = time.perf_counter()
        rows = frame.collect()
        done = time.perf_counter()
    except Exception as e:
        if late.is_set():
            raise TooLongError(f"longer than {limit:g} s") from e
        raise
    finally:
        timer.cancel()
    return {"answer": answer(rows), "seconds": done - start, "planning": planned - start, "read": _read(frame, facts)}


def answer(rows: Iterable[Iterable[Any]]) -> list[str]:
    """Rows as text, sorted; numbers whose last digits depend on the order of a sum without these.

    Example:
        >>> answer([(2, None), (1, 0.1 + 0.2)])
        ['1|0.3', '2|None']
    """
    return sorted("|".join(f"{v:.6g}" if isinstance(v, float) else str(v) for v in row) for row in rows)


def _read(frame: DataFrame, facts: Collection[str]) -> dict[str, dict[str, int]]:
    """What a query that has run read of each fact, in all of its scans."""
    found: dict[str, dict[str, int]] = {}
    for node in scans(frame):
        if (name := folder(node)) in facts:
            of = found.setdefault(name, {"files": 0, "bytes": 0, "pruned": 0, "scans": 0})
            of["files"] += metric(node, "numFiles") or 0
            of["bytes"] += metric(node, "filesSize") or 0
            of["pruned"] += metric(node, "filesPrunedByKeys") or 0
            of["scans"] += 1
    return found
