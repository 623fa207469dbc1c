# SPDX-License-Identifier: Apache-2.0

"""A driver of a soak run: a writer, an optimizer or a reader, which goes on until it is told to stop, or is killed.

The argument is a file of JSON: `role`, `number`, `seed`, `folder` (of the run), `conf` (of the session). It keeps what
it does in `<role>-<number>.log` of the folder, writers also their records.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from records import APPEND, DELETE, MERGE, OVERWRITE, UPDATE, History, Operation, Record, Rows, matches

if TYPE_CHECKING:
    from collections.abc import Callable

# Refused, because another was faster; nothing was changed.
REFUSED = ("io.delta.exceptions.Concurrent", "ZORDER_FILES_CHANGED", "ZORDER_TABLE_LOCKED")
# A reader of Parquet files that has listed one which is gone by now; as without the extension, it asks again.
GONE = ("FileNotFoundException", "FILE_NOT_EXIST", "FAILED_READ_FILE.FILE_NOT_EXIST")
BATCH, MOST = 60, 1500  # rows of an operation, and those that a writer keeps
INCREMENTAL = ", mode = 'incremental'"
SIZE = "OPTIONS (target_file_size = '16k'{more})"


class Actor:
    """What all have: a session, a log, chance by a seed."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.folder = Path(request["folder"])
        self.name = f"{request['role']}-{request['number']}"
        self.number = int(request["number"])
        self.chance = random.Random(request["seed"])
        builder = SparkSession.builder
        for key, value in request["conf"].items():
            builder = builder.config(key, value)
        self.spark = builder.getOrCreate()
        self.counts: Counter[str] = Counter()
        self._told = 0.0

    def run(self) -> None:
        while not (self.folder / "stop").exists():
            self.step()
            if time.monotonic() - self._told > 30:
                self.tell()
        self.tell()

    def tell(self) -> None:
        """A line with what was done since the start of this process, and what it holds."""
        self._told = time.monotonic()
        runtime = self.spark._jvm.java.lang.Runtime.getRuntime()
        self.spark._jvm.System.gc()
        pid = self.spark.sparkContext._gateway.proc.pid
        held = {
            "heap": (runtime.totalMemory() - runtime.freeMemory()) // 1024,
            "threads": sum(1 for _ in Path(f"/proc/{pid}/task").iterdir()),
            "files": sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        }
        self.say({"time": time.time(), "pid": os.getpid(), "counts": dict(self.counts), **held})

    def say(self, line: dict[str, Any]) -> None:
        with (self.folder / f"{self.name}.log").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def attempt(self, kind: str, action: Callable[[], object], allowed: tuple[str, ...] = REFUSED) -> bool:
        """Whether it succeeded; False where it was refused. What else goes wrong ends the process, and the run."""
        try:
            action()
        except Exception as error:
            if not any(word in str(error) for word in allowed):
                self.say({"time": time.time(), "error": f"{kind}: {error}"[:4000]})
                raise
            self.counts[f"{kind} refused"] += 1
            return False
        self.counts[kind] += 1
        return True

    def step(self) -> None:
        raise NotImplementedError

    def table(self, table_format: str) -> str:
        return f"{table_format}.`{self.folder / table_format}`"

    def rows_of(self, table_format: str, writer: int) -> Rows:
        """As they are now, of one writer."""
        if table_format == "parquet" and not any((self.folder / "parquet" / f"w={writer}").glob("*.parquet")):
            return Counter()
        query = f"SELECT id, v FROM {self.table(table_format)} WHERE w = {writer}"
        return Counter((row["id"], row["v"]) for row in self.spark.sql(query).collect())


def values(ids: str, version: int, writer: int) -> str:
    """Columns of rows with these ids, as an expression of SQL makes them."""
    return (
        f"{ids} AS id, {version} AS v, CAST({ids} * 7919 % 1000 AS INT) AS a, {ids} * 104729 % 5000 AS b, "
        f"CONCAT('é', {ids} % 50) AS c, {writer} AS w"
    )


class Writer(Actor):
    """Changes rows of its own: of a Delta table by every statement, of a Parquet folder by appends and overwrites."""

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__(request)
        self.format = "delta" if request["role"] == "delta" else "parquet"
        self.is_atomic = self.format == "delta"
        path = self.folder / f"record-{self.number}"
        self.record, history = Record(path), History.read(path)
        self.now, self.last = history.states[-1], history.last
        if history.open:
            self.settle(history.open, history.possible(is_atomic=self.is_atomic))

    def settle(self, operation: Operation, possible: list[Rows]) -> None:
        """Finds what an interrupted operation has left."""
        found = self.look()
        if found == operation.after(self.now):
            self.record.end(operation.number)
        elif found == self.now:
            self.record.without_effect(operation.number)
        elif found in possible:
            self.record.emptied(operation.number)
        else:
            missing, more = self.now - found, found - self.now
            text = f"after an interrupted {operation.kind} of {len(operation.ids)}: {len(missing)} rows are missing, "
            self.say({"time": time.time(), "error": f"{text}{len(more)} more: {list(missing)[:3]} {list(more)[:3]}"})
            raise SystemExit(3)
        self.now = found

    def look(self) -> Rows:
        found: list[Rows] = []
        while not found:
            self.attempt("look", lambda: found.append(self.rows_of(self.format, self.number)), GONE)
        return found[0]

    def step(self) -> None:
        kinds = (
            [APPEND, APPEND, DELETE, UPDATE, MERGE, OVERWRITE]
            if self.is_atomic
            else [APPEND, APPEND, APPEND, OVERWRITE]
        )
        kind = self.chance.choice(kinds) if self.now else APPEND
        if sum(self.now.values()) > MOST:
            kind = OVERWRITE
        self.last += 1
        first = self.number * 10**9 + self.last * 1000
        new, old = range(first, first + BATCH), sorted(i for i, _ in self.now)
        some = self.chance.sample(old, min(len(old), BATCH)) if old else []
        ids = {
            APPEND: new,
            OVERWRITE: new,
            DELETE: some,
            UPDATE: some,
            MERGE: [*some[: BATCH // 2], *new[: BATCH // 2]],
        }
        operation = Operation(self.last, kind, tuple(ids[kind]), 0 if kind == APPEND else self.last)
        self.record.begin(operation)
        if self.attempt(kind, lambda: self.change(operation)):
            self.record.end(operation.number)
            self.now = operation.after(self.now)
        else:
            self.record.without_effect(operation.number)

    def change(self, operation: Operation) -> None:
        table, wanted = self.table(self.format), ", ".join(f"{i}L" for i in operation.ids)
        mine, among = f"w = {self.number}", f"id IN ({wanted})"
        if operation.kind in (APPEND, OVERWRITE):
            source = f"(SELECT explode(array({wanted})) AS i)"
            rows = self.spark.sql(f"SELECT {values('i', operation.version, self.number)} FROM {source}").coalesce(1)
            mode = "append" if operation.kind == APPEND else "overwrite"
            if self.is_atomic:
                writer = rows.write.format("delta").mode(mode)
                (writer if mode == "append" else writer.option("replaceWhere", mine)).save(str(self.folder / "delta"))
            else:
                # A folder of its own: writers of Spark's share what is temporary in a table's folder, and lose it.
                rows.drop("w").write.mode(mode).parquet(str(self.folder / "parquet" / f"w={self.number}"))
        elif operation.kind == DELETE:
            self.spark.sql(f"DELETE FROM {table} WHERE {mine} AND {among}").collect()
        elif operation.kind == UPDATE:
            self.spark.sql(f"UPDATE {table} SET v = {operation.version} WHERE {mine} AND {among}").collect()
        else:
            source = (
                f"(SELECT {values('i', operation.version, self.number)} FROM (SELECT explode(array({wanted})) AS i)) s"
            )
            self.spark.sql(
                f"MERGE INTO {table} t USING {source} ON t.id = s.id AND t.w = {self.number} "
                "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
            ).collect()


class Streamer(Writer):
    """Appends to the Delta table by a stream, which is restarted each time."""

    def step(self) -> None:
        self.last += 1
        first = self.number * 10**9 + self.last * 1000
        operation = Operation(self.last, APPEND, tuple(range(first, first + BATCH)))
        source = self.folder / f"source-{self.number}"
        source.mkdir(exist_ok=True)
        self.record.begin(operation)
        draft = self.folder / f"draft-{self.number}"
        draft.write_text("".join(f'{{"i": {i}}}\n' for i in operation.ids))
        draft.rename(source / f"{self.last}.json")
        self.attempt(APPEND, self.load)
        self.record.end(operation.number)
        self.now = operation.after(self.now)

    def settle(self, operation: Operation, possible: list[Rows]) -> None:
        """What has arrived will be there: the stream is run to its end first."""
        if not (self.folder / f"source-{self.number}" / f"{operation.number}.json").exists():
            self.record.without_effect(operation.number)
            return
        self.load()
        super().settle(operation, possible)

    def load(self) -> None:
        rows = self.spark.readStream.schema("i BIGINT").json(str(self.folder / f"source-{self.number}"))
        rows.createOrReplaceTempView("arrived")
        read = self.spark.sql(f"SELECT {values('i', 0, self.number)} FROM arrived")
        written = read.writeStream.format("delta").trigger(availableNow=True)
        checkpoint = str(self.folder / f"checkpoint-{self.number}")
        written.option("checkpointLocation", checkpoint).start(str(self.folder / "delta")).awaitTermination()


class Optimizer(Actor):
    """Runs full and incremental rewrites and, for Parquet, ANALYZE."""

    def step(self) -> None:
        table_format = "delta" if self.number % 2 == 0 else "parquet"
        table = self.table(table_format)
        where = self.chance.choice(["", "", f"WHERE w = {self.chance.randint(1, 8)} "])
        kinds = {
            "full": f"OPTIMIZE {table} {where}ZORDER BY (a, b) {SIZE.format(more=', force = true')}",
            "incremental": f"OPTIMIZE {table} {where}ZORDER BY (a, b) {SIZE.format(more=INCREMENTAL)}",
        }
        if table_format == "parquet":
            kinds["analyze"] = f"ANALYZE TABLE {table} COMPUTE FILE STATISTICS"
        kind = self.chance.choice([*kinds, "incremental"])
        allowed = (
            REFUSED if table_format == "delta" else (*REFUSED, *GONE, "ZORDER_UNREADABLE_FILE", "ZORDER_PATH_NOT_FOUND")
        )
        self.attempt(kind, lambda: self.spark.sql(kinds[kind]).collect(), allowed)


class Reader(Actor):
    """Compares what it reads with all writers' records."""

    def step(self) -> None:
        table_format = self.chance.choice(["delta", "parquet"])
        records = self.folder / "writers.json"
        writers = json.loads(records.read_text())[table_format]
        writer = self.chance.choice(writers)
        path = self.folder / f"record-{writer}"
        before, found = History.read(path), list[Rows]()
        if not self.attempt("read", lambda: found.append(self.rows_of(table_format, writer)), GONE):
            return
        after = History.read(path)
        if not matches(found[0], before, after, is_atomic=table_format == "delta"):
            now = after.states[-1]
            missing, more = now - found[0], found[0] - now
            text = f"{table_format} of {writer}, after {after.last}: {len(missing)} missing, {len(more)} more"
            self.say({"time": time.time(), "error": f"{text}: {list(missing)[:3]} {list(more)[:3]}"})
            raise SystemExit(3)
        self.counts["rows compared"] += sum(found[0].values())


ROLES = {"delta": Writer, "parquet": Writer, "stream": Streamer, "optimizer": Optimizer, "reader": Reader}

if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text())
    ROLES[asked["role"]](asked).run()
