"""SIGKILL of a driver that rewrites several Parquet tables at once, at random moments: no row lost or doubled."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from typing import TYPE_CHECKING

import parquet_folder
from file_events import MOVED_IN, FileEvents
from victim import Victim

from launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

LOG = ROOT / ".build" / "test-reports" / "faults" / "parquet-kill-log.md"
SEED = 60
KILLS = 30  # rewrites that were under way when their process was killed
FEW_KILLS = 12  # in the short ring
TABLES = 8  # that one process rewrites at once
FILES = 6  # of a partition before
PATIENCE = 120


def statement(table: Path) -> str:
    return f"OPTIMIZE parquet.`{table}` ZORDER BY (a, b) OPTIONS (target_file_size = '6000')"


class Round:
    """One driver with tables of its own."""

    def __init__(self, folder: Path, original: Path, archive: Path, stagger: float, *, dump: bool = False) -> None:
        folder.mkdir()
        self.tables = [folder / f"table-{i}" for i in range(TABLES)]
        for table in self.tables:
            shutil.copytree(original, table)
            # So that they can be watched from the beginning.
            (table / "_zorder" / "journal").mkdir(parents=True)
        self.folder = folder / "victim"
        self.victim = Victim(self.folder, list(map(statement, self.tables)), archive, dump=dump, stagger=stagger)

    def under_way(self) -> list[int]:
        return [
            i
            for i in range(TABLES)
            if (self.folder / f"begun-{i}").exists() and not (self.folder / f"done-{i}").exists()
        ]


def test_rows_are_the_same_whenever_the_driver_dies(spark: SparkSession, tmp_path: Path, is_long: bool) -> None:
    chance = random.Random(SEED)
    kills = KILLS if is_long else FEW_KILLS
    original = parquet_folder.create(spark, tmp_path / "original", 6_000, FILES)
    before = parquet_folder.digest(spark, original), parquet_folder.plain_rows(original)
    archive = tmp_path / "classes.jsa"
    whole = Round(tmp_path / "whole", original, archive, 0.3, dump=True)
    whole.victim.ready()
    started = time.monotonic()
    whole.victim.go()
    assert whole.victim.outcome() is None
    lasts = time.monotonic() - started

    log: list[tuple[str, str, bool, bool]] = []
    rounds = 0
    while len(log) < kills:
        rounds += 1
        assert rounds < 3 * kills / TABLES + 6, log
        now = Round(tmp_path / f"round-{rounds}", original, archive, stagger=chance.choice([0.0, 0.1, 0.3]))
        now.victim.ready()
        events = FileEvents([table / "_zorder" / "journal" for table in now.tables])
        now.victim.go()
        moment = wait(chance, events, lasts) if rounds % 2 == 0 else sleep(chance, lasts)
        now.victim.kill()
        events.close()
        log += [(moment, *inquest(spark, now.tables[i], before, i % 2 == 0)) for i in now.under_way()]
        shutil.rmtree(tmp_path / f"round-{rounds}")
        write(log)
    print(LOG.read_text())

    assert [entry for entry in log if not (entry[2] and entry[3])] == []
    # The seed has chosen moments on both sides of the decision.
    phases = Counter(phase.split(":")[0] for _, phase, _, _ in log)
    assert len(phases) > 2


def sleep(chance: random.Random, lasts: float) -> str:
    """Any moment of the statements."""
    seconds = chance.uniform(0.1, 0.9) * lasts
    time.sleep(seconds)
    return "at random"


def wait(chance: random.Random, events: FileEvents, lasts: float) -> str:
    """A moment soon after something has happened in a journal."""
    left = chance.randint(1, 2 * TABLES)
    for event in events.until(time.monotonic() + min(PATIENCE, 2 * lasts)):
        if event.kind == MOVED_IN and not event.path.name.startswith("."):
            left -= 1
            if left == 0:
                time.sleep(chance.uniform(0, 0.02))
                return f"after {event.path.suffix}"
    return "late"


def inquest(
    spark: SparkSession, table: Path, before: tuple[object, object], by_optimize: bool
) -> tuple[str, bool, bool]:
    """Where it ended; whether a new process reads the rows at once; whether all is in order after a recovery."""
    phase = parquet_folder.phase(table, 2 * FILES)
    at_once = parquet_folder.digest(spark, table) == before[0]
    spark.sql(statement(table) if by_optimize else f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS").collect()
    # Read without Spark.
    after = parquet_folder.plain_rows(table) == before[1] and parquet_folder.digest(spark, table) == before[0]
    own = table / "_zorder"
    clean = not any(own.glob("staging/*")) and not any(own.glob("locks/[!.]*")) and not any(own.glob("journal/*.json"))
    return phase, at_once, after and clean


def write(log: list[tuple[str, str, bool, bool]]) -> None:
    phases = Counter(phase.split(":")[0] for _, phase, _, _ in log)
    lines = [f"{len(log)} kills: " + ", ".join(f"{n} {name}" for name, n in phases.most_common()) + ".", ""]
    lines += ["| # | moment | phase hit | rows for a new process | rows without Spark after recovery |"]
    lines += ["| ---: | --- | --- | --- | --- |"]
    lines += [
        f"| {i} | {moment} | {phase} | {'equal' if at_once else 'NOT EQUAL'} | {'equal' if after else 'NOT EQUAL'} |"
        for i, (moment, phase, at_once, after) in enumerate(log, 1)
    ]
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text("\n".join(lines) + "\n")
