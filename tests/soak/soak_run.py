# SPDX-License-Identifier: Apache-2.0

"""One soak run in a folder: its tables, its drivers, what is done to them, and what must be there in the end."""

from __future__ import annotations

import json
import random
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import holdings
from actor_processes import ActorProcess
from plain_session import COLUMNS, session
from records import History, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

STARTING = 900  # seconds for all drivers to have done something
LONG_SLEEP = 150  # seconds; a lock that gives no sign is taken over after less


class Cast(NamedTuple):
    """The numbers of the drivers of each role; the first optimizer, reader and Delta writer are never killed."""

    delta: tuple[int, ...]
    stream: tuple[int, ...]
    parquet: tuple[int, ...]
    optimizer: tuple[int, ...]
    reader: tuple[int, ...] = (20,)

    def writers(self) -> dict[str, tuple[int, ...]]:
        """By the format of their table."""
        return {"delta": (*self.delta, *self.stream), "parquet": self.parquet}


FULL = Cast(delta=(1, 2, 3, 4), stream=(5,), parquet=(6, 7, 8), optimizer=(10, 11))
SMALL = Cast(delta=(1,), stream=(5,), parquet=(6,), optimizer=(10, 11))


class Soak:
    """A run whose tables and drivers are there when it is made."""

    def __init__(self, folder: Path, seed: int, cast: Cast) -> None:
        self.folder, self.cast = folder, cast
        self.chance = random.Random(seed)
        (folder / "writers.json").write_text(json.dumps(cast.writers()))
        self._create()
        self.actors = [
            ActorProcess(folder, role, number, self.chance.randrange(2**32))
            for role, numbers in cast._asdict().items()
            for number in numbers
        ]
        spared = {f"delta-{cast.delta[0]}", f"optimizer-{cast.optimizer[0]}", f"reader-{cast.reader[0]}"}
        self.spared = [actor for actor in self.actors if actor.name in spared]
        self.events: Counter[str] = Counter()
        self._asleep: dict[ActorProcess, float] = {}

    def _create(self) -> None:
        spark = session(self.folder / "home", extension=True)
        delta = f"delta.`{self.folder / 'delta'}`"
        spark.sql(
            f"CREATE TABLE {delta} ({COLUMNS}) USING delta PARTITIONED BY (w) "
            "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
        )
        # A folder without a file is no table yet.
        empty = spark.sql(f"SELECT * FROM {delta} LIMIT 0").drop("w")
        for writer in self.cast.parquet:
            empty.write.parquet(str(self.folder / "parquet" / f"w={writer}"))
        spark.stop()

    def run(self, seconds: float) -> None:
        """For so long from when all drivers have done something, or until something is wrong."""
        started = time.monotonic()
        while not all(a.lines() for a in self.actors) and not self.errors() and time.monotonic() < started + STARTING:
            time.sleep(1)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.errors():
            self._wait(min(self.chance.uniform(4, 16), max(0.0, end - time.monotonic())))
            if self.chance.random() < 0.5:
                self._kill(self.chance.choice([actor for actor in self.actors if actor not in self.spared]))
            else:
                self._pause(self.chance.choice(self.actors))
        (self.folder / "stop").touch()
        self._wake(list(self._asleep))
        for actor in self.actors:
            actor.end(300)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            time.sleep(min(1, end - now))
            self._wake([actor for actor, until in self._asleep.items() if until < now])

    def _kill(self, actor: ActorProcess) -> None:
        self._asleep.pop(actor, None)
        actor.kill()
        actor.start()
        self.events["killed"] += 1

    def _pause(self, actor: ActorProcess) -> None:
        if actor not in self._asleep:
            seconds = LONG_SLEEP if self.chance.random() < 0.1 else self.chance.uniform(1, 40)
            actor.signal(signal.SIGSTOP)
            self._asleep[actor] = time.monotonic() + seconds
            self.events["paused"] += 1

    def _wake(self, actors: list[ActorProcess]) -> None:
        for actor in actors:
            actor.signal(signal.SIGCONT)
            del self._asleep[actor]

    def kill_all(self) -> None:
        for actor in self.actors:
            actor.kill()

    def errors(self) -> list[str]:
        """What has gone wrong so far, by the drivers."""
        return [error for actor in self.actors for error in actor.errors()]

    def check(self) -> list[str]:
        """What is wrong in the end: rows with the extension and without it, what is left behind, what has grown."""
        wrong = []
        for extension in (True, False):
            spark = session(self.folder / "home", extension=extension)
            for table_format in self.cast.writers():
                if extension:
                    # What interrupted rewrites have left is finished by the next.
                    table = f"{table_format}.`{self.folder / table_format}`"
                    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (mode = 'incremental')").collect()
                wrong += [f"extension {extension}: {text}" for text in self._unlike(spark, table_format)]
            spark.stop()
        staging = self.folder / "parquet" / "_zorder" / "staging"
        left = [f"left: {path}" for path in staging.rglob("*") if path.is_file()]
        return wrong + left + holdings.grown(self.told())

    def _unlike(self, spark: SparkSession, table_format: str) -> list[str]:
        rows = spark.read.format(table_format).load(str(self.folder / table_format)).select("w", "id", "v").collect()
        wrong = []
        for writer in self.cast.writers()[table_format]:
            history = History.read(self.folder / f"record-{writer}")
            found: Rows = Counter((row["id"], row["v"]) for row in rows if row["w"] == writer)
            if found not in history.possible(is_atomic=table_format == "delta"):
                now = history.states[-1]
                lost, more = (now - found).total(), (found - now).total()
                wrong.append(f"{table_format}, writer {writer}: {lost} rows lost, {more} too many")
        return wrong

    def counts(self) -> Counter[str]:
        """What was done, by all; of each process its last line counts."""
        total: Counter[str] = Counter()
        for actor in self.actors:
            last = {line["pid"]: line["counts"] for line in actor.lines() if "counts" in line}
            for counts in last.values():
                total.update({f"{actor.name.split('-')[0]}: {kind}": n for kind, n in counts.items()})
        return total

    def told(self) -> dict[str, list[dict[str, object]]]:
        """The lines of those that were never killed."""
        return {actor.name: actor.lines() for actor in self.spared}
