# SPDX-License-Identifier: Apache-2.0

"""Every query of TPC-DS on every system in turns, with its answers compared."""

from __future__ import annotations

import re
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from tpcds.measure import PRUNED, SYSTEMS, TooLongError, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

_LAST_LIMIT = re.compile(r"\bLIMIT\s+\d+\s*;?\s*$", re.IGNORECASE)


def measured(
    spark: SparkSession, queries: Mapping[str, str], rounds: int, limit: float, end: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Runs each query once unmeasured, then `rounds` times on each system, which take turns in beginning.

    Args:
        spark: runs nothing else.
        queries: their texts by their names.
        rounds: measured runs on each system.
        limit: seconds after which a run is ended.
        end: time of the monotonic clock after which no further query is begun.

    Yields:
        Its name, and for each system `files`, `bytes`, `pruned` and the medians `seconds` and `planning`, and whether
        all answers are the `same`; or why it was left out: `failed`.
    """
    for name, text in queries.items():
        if time.monotonic() > end:
            yield name, {"failed": "the time for all queries was over"}
            continue
        try:
            PRUNED.use(spark)
            run(spark, text, limit)
            runs: dict[str, list[dict[str, Any]]] = {system.name: [] for system in SYSTEMS}
            for number in range(rounds):
                first = number % len(SYSTEMS)
                for system in (*SYSTEMS[first:], *SYSTEMS[:first]):
                    system.use(spark)
                    runs[system.name].append(run(spark, text, limit))
            found = {"systems": {system: _summary(of) for system, of in runs.items()}}
            yield name, found | {"same": _are_same(spark, text, limit, runs)}
        except TooLongError as e:
            yield name, {"failed": str(e)}
        except Exception as e:
            yield name, {"failed": str(e).strip().splitlines()[0][:200]}


def _summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    read = runs[-1]["read"].values()
    return {key: sum(of[key] for of in read) for key in ("files", "bytes", "pruned")} | {
        key: median(once[key] for once in runs) for key in ("seconds", "planning")
    }


def _are_same(spark: SparkSession, text: str, limit: float, runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Of equal rows a LIMIT may take any: where answers differ, all rows are compared."""
    if len({tuple(once["answer"]) for of in runs.values() for once in of}) == 1:
        return True
    if not _LAST_LIMIT.search(text):
        return False
    answers = set()
    for system in SYSTEMS:
        system.use(spark)
        answers.add(tuple(run(spark, _LAST_LIMIT.sub("", text), limit)["answer"]))
    return len(answers) == 1
