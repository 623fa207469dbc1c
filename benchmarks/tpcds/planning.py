# SPDX-License-Identifier: Apache-2.0

"""Time to plan queries of which no file is pruned when they run, with pruning on and off."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING

from tpcds.measure import ALONE, PRUNED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import SparkSession


def measured(spark: SparkSession, queries: Mapping[str, str], rounds: int) -> dict[str, dict[str, float]]:
    """Of each query the medians of seconds from its text to its plan, without pruning (`off`) and with (`on`)."""
    found = {}
    for name, text in queries.items():
        times: dict[str, list[float]] = {"off": [], "on": []}
        for number in range(-1, rounds):
            for key in _turn(number):
                (PRUNED if key == "on" else ALONE).use(spark)
                start = time.perf_counter()
                spark.sql(text)._jdf.queryExecution().executedPlan()
                if number >= 0:
                    times[key].append(time.perf_counter() - start)
        found[name] = {key: median(of) for key, of in times.items()}
    return found


def _turn(number: int) -> Iterable[str]:
    return ("off", "on") if number % 2 else ("on", "off")
