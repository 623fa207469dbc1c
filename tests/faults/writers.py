# SPDX-License-Identifier: Apache-2.0

"""Writers that keep their own records of what they have committed to a table of events."""

from __future__ import annotations

import random
import threading
from collections import Counter
from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

Row = tuple[int, int, float | None, str, int]

PARTITIONS = 4


def row(number: int) -> Row:
    """The row with this id; `ROWS` says the same in SQL."""
    b = None if number % 11 == 0 else (number * 31 % 997) / 8
    return number, number * 7919 % 1000, b, f"é{number % 50}", number % PARTITIONS


ROWS = f"""SELECT id, CAST(id * 7919 % 1000 AS INT) AS a, IF(id % 11 = 0, NULL, (id * 31 % 997) / 8.0D) AS b,
  concat('é', id % 50) AS c, CAST(id % {PARTITIONS} AS INT) AS p FROM range({{first}}, {{end}})"""


def is_conflict(error: Exception) -> bool:
    """Whether a statement failed, without effect, because another was faster.

    Delta's exceptions reach PySpark as Py4J's, unless Delta's own Python package is installed.
    """
    return "io.delta.exceptions.Concurrent" in str(error)


class Turns:
    """Who has been refused so often that the other writers let it go first.

    Delta's tables are serializable: a DELETE that has read all files conflicts with every append of the meantime, and
    among appenders without a pause it would never be done.
    """

    def __init__(self) -> None:
        self.waiting: set[str] = set()


class Writer(threading.Thread):
    """Repeats one statement in a session of its own until told to stop."""

    def __init__(self, name: str, spark: SparkSession, table: str, stop: threading.Event, turns: Turns) -> None:
        super().__init__(name=name)
        self.spark = spark.newSession()
        self.table = table
        self.stop = stop
        self.turns = turns
        self.outcomes: Counter[str] = Counter()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                if self.turns.waiting - {self.name}:
                    self.stop.wait(0.02)
                else:
                    self.step()
        except BaseException as error:
            self.error = error
            self.stop.set()

    def step(self) -> None:
        raise NotImplementedError

    def attempt(self, statement: str) -> bool:
        """Whether it was committed; a conflict leaves no trace, any other error ends the run."""
        try:
            self.spark.sql(statement).collect()
        except (PySparkException, Py4JJavaError) as error:
            if not is_conflict(error):
                raise
            self.outcomes["conflict"] += 1
            return False
        self.outcomes["committed"] += 1
        return True


class Appender(Writer):
    """Appends rows with ids that no other writer uses."""

    BATCH = 40

    def __init__(self, number: int, spark: SparkSession, table: str, stop: threading.Event, turns: Turns) -> None:
        super().__init__(f"appender {number}", spark, table, stop, turns)
        self.next = number * 10_000_000
        self.appended: list[int] = []

    def step(self) -> None:
        first, self.next = self.next, self.next + self.BATCH
        if self.attempt(f"INSERT INTO {self.table} {ROWS.format(first=first, end=self.next)}"):
            self.appended += range(first, self.next)


class Deleter(Writer):
    """Deletes rows that somebody has committed, again after a conflict until they are gone."""

    BATCH = 15
    PATIENCE = 2  # conflicts of one delete

    def __init__(
        self,
        number: int,
        spark: SparkSession,
        table: str,
        stop: threading.Event,
        turns: Turns,
        there: Callable[[], list[int]],
    ) -> None:
        super().__init__(f"deleter {number}", spark, table, stop, turns)
        self.chance = random.Random(number)
        self.there = there
        self.deleted: set[int] = set()

    def step(self) -> None:
        chosen = self.chance.sample(self.there(), self.BATCH)
        statement = f"DELETE FROM {self.table} WHERE id IN ({', '.join(map(str, chosen))})"
        refused = 0
        try:
            while not self.stop.is_set():
                if self.attempt(statement):
                    self.deleted |= set(chosen)
                    return
                refused += 1
                if refused == self.PATIENCE:
                    self.turns.waiting.add(self.name)
        finally:
            self.turns.waiting.discard(self.name)


class Optimizer(Writer):
    """Z-orders the table again and again, each time when the other writers have committed some more."""

    EVERY = 4  # commits of other writers; back to back, runs would leave no delete a chance

    def __init__(
        self, spark: SparkSession, table: str, stop: threading.Event, turns: Turns, others: Sequence[Writer]
    ) -> None:
        super().__init__("optimizer", spark, table, stop, turns)
        self.others = others
        self.seen = 0

    def step(self) -> None:
        if self._commits() < self.seen + self.EVERY:
            self.stop.wait(0.02)
            return
        self.seen = self._commits()
        self.attempt(f"OPTIMIZE {self.table} ZORDER BY (a, b) OPTIONS (target_file_size = '20k')")

    def _commits(self) -> int:
        return sum(writer.outcomes["committed"] for writer in self.others)
