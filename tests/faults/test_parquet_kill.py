# SPDX-License-Identifier: Apache-2.0

"""SIGKILL of a driver that rewrites several Parquet tables at once, at random moments: no row lost or doubled."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import parquet_folder
from parquet_round import FEW_TABLES, TABLES, Round, statement

from launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

LOG = ROOT / ".build" / "test-reports" / "faults" / "parquet-kill-log.md"
SEED = 60
# Rewrites that were under way when their process was killed, by the ring.
KILLS = {"short": 2, "long": 8, "nightly": 30}


def test_rows_are_the_same_whenever_the_driver_dies(spark: SparkSession, tmp_path: Path, ring: str) -> None:
    chance = random.Random(SEED)
    kills, tables = KILLS[ring], FEW_TABLES if ring == "short" else TABLES
    original = parquet_folder.create(spark, tmp_path / "original", 6_000, parquet_folder.FILES)
    before = parquet_folder.digest(spark, original), parquet_folder.plain_rows(original)
    lasts = Round(tmp_path / "whole", original, 0.3, tables).undisturbed()

    log: list[tuple[str, str, bool, bool]] = []
    rounds = 0
    while len(log) < kills or len(phases(log)) < 2:
        rounds += 1
        assert rounds < 3 * kills / tables + 6, log
        now = Round(tmp_path / f"round-{rounds}", original, stagger=chance.choice([0.0, 0.1, 0.3]), tables=tables)
        now.victim.ready()
        moment = now.go_until(chance, lasts, by_log=rounds % 2 == 0)
        now.victim.kill()
        log += [(moment, *inquest(spark, now.tables[i], before, i % 2 == 0)) for i in now.under_way()]
        shutil.rmtree(tmp_path / f"round-{rounds}")
        write(log)
    print(LOG.read_text())

    assert [entry for entry in log if not (entry[2] and entry[3])] == []


def phases(log: list[tuple[str, str, bool, bool]]) -> Counter[str]:
    """What the kills hit."""
    return Counter(phase.split(":")[0] for _, phase, _, _ in log)


def inquest(
    spark: SparkSession, table: Path, before: tuple[object, object], by_optimize: bool
) -> tuple[str, bool, bool]:
    """Where it ended; whether a new process reads the rows at once; whether all is in order after a recovery."""
    phase = parquet_folder.phase(table, 2 * parquet_folder.FILES)
    at_once = parquet_folder.digest(spark, table) == before[0]
    spark.sql(statement(table) if by_optimize else f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS").collect()
    # Read without Spark.
    after = parquet_folder.plain_rows(table) == before[1] and parquet_folder.digest(spark, table) == before[0]
    return phase, at_once, after and parquet_folder.is_settled(table)


def write(log: list[tuple[str, str, bool, bool]]) -> None:
    lines = [f"{len(log)} kills: " + ", ".join(f"{n} {name}" for name, n in phases(log).most_common()) + ".", ""]
    lines += ["| # | moment | phase hit | rows for a new process | rows without Spark after recovery |"]
    lines += ["| ---: | --- | --- | --- | --- |"]
    lines += [
        f"| {i} | {moment} | {phase} | {'equal' if at_once else 'NOT EQUAL'} | {'equal' if after else 'NOT EQUAL'} |"
        for i, (moment, phase, at_once, after) in enumerate(log, 1)
    ]
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text("\n".join(lines) + "\n")
