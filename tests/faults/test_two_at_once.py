# SPDX-License-Identifier: Apache-2.0

"""Two OPTIMIZE statements at once on one table, from two processes and from two sessions of one."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import table_folder
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from victim import Victim
from writers import is_conflict

if TYPE_CHECKING:
    from pathlib import Path

    from plain_delta import PlainDelta
    from pyspark.sql import SparkSession


def optimize(spark: SparkSession, statement: str) -> str:
    """How it went: done or conflict; any other error is raised."""
    try:
        spark.sql(statement).collect()
    except (PySparkException, Py4JJavaError) as error:
        if not is_conflict(error):
            raise
        return "conflict"
    return "done"


@pytest.mark.long
def test_two_processes(spark: SparkSession, plain: PlainDelta, tmp_path: Path) -> None:
    table = table_folder.create(spark, tmp_path / "t", 20_000, 4, partitions=2, vectors=True)
    before = plain.see(table)
    statement = f"OPTIMIZE delta.`{table}` ZORDER BY (%s) OPTIONS (target_file_size = '20k')"
    other = Victim(tmp_path / "other", [statement % "a, b"])
    other.ready()
    other.go()
    here = Counter[str]()
    # The other driver is new and slow: it meets several of ours.
    while not other.finished():
        here[optimize(spark, statement % "b, c")] += 1
    there = other.outcome()

    print(f"here: {dict(here)}, there: {there or 'done'}")
    assert there is None or "io.delta.exceptions.Concurrent" in there
    assert here["done"] > 0
    after = plain.see(table)
    assert after.rows == before.rows
    assert after.version - before.version == here["done"] + (there is None)


@pytest.mark.long
def test_two_sessions(spark: SparkSession, plain: PlainDelta, tmp_path: Path) -> None:
    rounds = 4
    table = table_folder.create(spark, tmp_path / "t", 20_000, 4, partitions=2, vectors=True)
    before = plain.see(table)
    barrier = threading.Barrier(2)
    outcomes: list[Counter[str]] = [Counter(), Counter()]

    def repeat(mine: int) -> None:
        session = spark.newSession()
        for i in range(rounds):
            # First the same files, then files of different partitions.
            where = f"WHERE p = {mine}" if i >= rounds // 2 else ""
            statement = f"OPTIMIZE delta.`{table}` {where} ZORDER BY (a, b) OPTIONS (target_file_size = '20k')"
            barrier.wait()
            outcomes[mine][f"{'apart' if where else 'same'}: {optimize(session, statement)}"] += 1

    threads = [threading.Thread(target=repeat, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    both = outcomes[0] + outcomes[1]

    print(dict(both))
    assert both.total() == 2 * rounds
    # Of two that rewrite the same files, one succeeds; of two that do not meet, both.
    assert both["same: done"] >= rounds // 2
    assert both["apart: done"] == 2 * (rounds - rounds // 2)
    after = plain.see(table)
    assert after.rows == before.rows
