# SPDX-License-Identifier: Apache-2.0

"""A driver is stopped (SIGSTOP) while it rewrites tables, another finishes its work, and it goes on: all rows stay."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from typing import TYPE_CHECKING

import parquet_folder
import pytest
from parquet_round import TABLES, Round, statement

from launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

LOG = ROOT / ".build" / "test-reports" / "faults" / "stop-and-go-log.md"
SEED = 11
STOPS = 24  # rewrites that were under way when their process was stopped
LEASE = 600  # seconds: longer than any lock counts


@pytest.mark.long
def test_a_driver_that_sleeps_while_another_works(spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    original = parquet_folder.create(spark, tmp_path / "original", 6_000, parquet_folder.FILES)
    before = parquet_folder.digest(spark, original), parquet_folder.plain_rows(original)
    lasts = Round(tmp_path / "whole", original, 0.3).undisturbed()

    log: list[tuple[str, str, bool, bool, bool]] = []
    rounds = 0
    while len(log) < STOPS:
        rounds += 1
        assert rounds < 3 * STOPS / TABLES + 6, log
        now = Round(tmp_path / f"round-{rounds}", original, stagger=chance.choice([0.0, 0.1]))
        now.victim.ready()
        moment = now.go_until(chance, lasts, by_log=rounds % 3 != 0)
        now.victim.stop()
        stopped = now.under_way()
        asleep = {i: others_work(spark, now.tables[i], before, i) for i in stopped}
        now.victim.go_on()
        # Statements that were overtaken may fail; their tables may not.
        now.victim.outcome()
        for i in stopped:
            table = now.tables[i]
            awake = is_whole(spark, table, before)
            spark.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS").collect()
            settled = is_whole(spark, table, before) and parquet_folder.is_settled(table)
            log.append((f"{moment}, {asleep[i][0]}", asleep[i][1], asleep[i][2], awake, settled))
        shutil.rmtree(tmp_path / f"round-{rounds}")
        write(log)
    print(LOG.read_text())

    assert [entry for entry in log if not all(entry[2:])] == []
    phases = Counter(phase.split(":")[0] for _, phase, *_ in log)
    assert len(phases) > 1


def others_work(spark: SparkSession, table: Path, before: tuple[object, object], i: int) -> tuple[str, str, bool]:
    """Another process takes the lock over, as if it had not been renewed for long, and finishes what it finds."""
    phase = parquet_folder.phase(table, 2 * parquet_folder.FILES)
    for lock in (table / "_zorder").glob("locks/*"):
        old = time.time() - LEASE
        os.utime(lock, (old, old))
    analyze = f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS"
    work = [[analyze], [statement(table)], [statement(table)] * 2][i % 3]
    for text in work:
        spark.sql(text).collect()
    return "then " + ", ".join(text.split()[0] for text in work), phase, is_whole(spark, table, before)


def is_whole(spark: SparkSession, table: Path, before: tuple[object, object]) -> bool:
    """For readers with the extension, and for those without Spark."""
    return parquet_folder.digest(spark, table) == before[0] and parquet_folder.plain_rows(table) == before[1]


def write(log: list[tuple[str, str, bool, bool, bool]]) -> None:
    phases = Counter(phase.split(":")[0] for _, phase, *_ in log)
    lines = [f"{len(log)} stops: " + ", ".join(f"{n} {name}" for name, n in phases.most_common()) + ".", ""]
    lines += [
        "| # | moment, concurrent statement | stopped while | rows while it slept | when it was awake | at the end |"
    ]
    lines += ["| ---: | --- | --- | --- | --- | --- |"]
    lines += [
        f"| {i} | {moment} | {phase} | " + " | ".join("equal" if ok else "NOT EQUAL" for ok in states) + " |"
        for i, (moment, phase, *states) in enumerate(log, 1)
    ]
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text("\n".join(lines) + "\n")
