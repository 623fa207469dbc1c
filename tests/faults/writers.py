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


class Writer(threading.Thread):
    """Repeats one statement in a session of its own until told to stop."""

    def __init__(self, name: str, spark: SparkSession, table: str, stop: threading.Event) -> None:
        super().__init__(name=name)
        self.spark = spark.newSession()
        self.table = table
        self.stop = stop
        self.outcomes: Counter[str] = Counter()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set():
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

    def __init__(self, number: int, spark: SparkSession, table: str, stop: threading.Event) -> None:
        super().__init__(f"appender {number}", spark, table, stop)
        self.next = number * 10_000_000
        self.appended: list[int] = []

    def step(self) -> None:
        first, self.next = self.next, self.next + self.BATCH
        if self.attempt(f"INSERT INTO {self.table} {ROWS.format(first=first, end=self.next)}"):
            self.appended += range(first, self.next)


class Deleter(Writer):
    """Deletes rows that somebody has committed, again after a conflict until they are gone."""

    BATCH = 15

    def __init__(
        self, number: int, spark: SparkSession, table: str, stop: threading.Event, there: Callable[[], list[int]]
    ) -> None:
        super().__init__(f"deleter {number}", spark, table, stop)
        self.chance = random.Random(number)
        self.there = there
        self.deleted: set[int] = set()

    def step(self) -> None:
        chosen = self.chance.sample(self.there(), self.BATCH)
        statement = f"DELETE FROM {self.table} WHERE id IN ({', '.join(map(str, chosen))})"
        while not self.stop.is_set():
            if self.attempt(statement):
                self.deleted |= set(chosen)
                return


class Optimizer(Writer):
    """Z-orders the table again and again, each time when the others have committed some more.

    Every other run begins as soon as that is so, and often makes a delete conflict; the runs between wait for a delete
    to be committed, which can take longer than a run: a delete would otherwise never get through on some machines.
    """

    EVERY = 4  # commits of others

    def __init__(
        self,
        spark: SparkSession,
        table: str,
        stop: threading.Event,
        appenders: Sequence[Appender],
        deleters: Sequence[Deleter],
    ) -> None:
        super().__init__("optimizer", spark, table, stop)
        self.appenders = appenders
        self.deleters = deleters
        self.runs = self.seen = self.deletes_seen = 0

    def step(self) -> None:
        deletes = _committed(self.deleters)
        commits = deletes + _committed(self.appenders)
        waits_for_delete = self.runs % 2 == 1 and deletes == self.deletes_seen
        if commits < self.seen + self.EVERY or waits_for_delete:
            self.stop.wait(0.02)
            return
        self.seen, self.deletes_seen = commits, deletes
        self.runs += 1
        self.attempt(f"OPTIMIZE {self.table} ZORDER BY (a, b) OPTIONS (target_file_size = '20k')")


def _committed(writers: Sequence[Writer]) -> int:
    return sum(writer.outcomes["committed"] for writer in writers)
