# SPDX-License-Identifier: Apache-2.0

"""Drivers that write: each changes rows of its own, and keeps a record of it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from actor import GONE, Actor
from records import APPEND, DELETE, MERGE, OVERWRITE, UPDATE, History, Operation, Record, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCH, MOST = 60, 1500  # rows of an operation, and those that a writer keeps
KINDS = {
    "delta": (APPEND, APPEND, DELETE, UPDATE, MERGE, OVERWRITE),
    "parquet": (APPEND, APPEND, APPEND, OVERWRITE),
}


def values(ids: str, version: int, writer: int) -> str:
    """Columns of rows with these ids, as an expression of SQL makes them."""
    return (
        f"{ids} AS id, {version} AS v, CAST({ids} * 7919 % 1000 AS INT) AS a, {ids} * 104729 % 5000 AS b, "
        f"CONCAT('é', {ids} % 50) AS c, {writer} AS w"
    )


class Writer(Actor):
    """Of a Delta table by every statement, of a Parquet folder by appends and overwrites of a partition."""

    format = "delta"

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__(request)
        path = self.folder / f"record-{self.number}"
        self.record, history = Record(path), History.read(path)
        self.now, self.last = history.states[-1], history.last
        if history.open:
            self.settle(history.open, history.possible(is_atomic=self.format == "delta"))

    def settle(self, operation: Operation, possible: Sequence[Rows]) -> None:
        """Finds what an interrupted operation has left."""
        found = self.look()
        if found == operation.after(self.now):
            self.record.end(operation.number)
        elif found == self.now:
            self.record.without_effect(operation.number)
        elif found in possible:
            self.record.emptied(operation.number)
        else:
            raise self.unlike(f"after an interrupted {operation.kind} of {len(operation.ids)}", self.now, found)
        self.now = found

    def look(self) -> Rows:
        found: list[Rows] = []
        while not found:
            self.attempt("look", lambda: found.append(self.rows_of(self.format, self.number)), GONE[self.format])
        return found[0]

    def step(self) -> None:
        operation = self.next(self.chance.choice(KINDS[self.format]))
        self.record.begin(operation)
        if self.attempt(operation.kind, lambda: self.change(operation)):
            self.record.end(operation.number)
            self.now = operation.after(self.now)
        else:
            self.record.without_effect(operation.number)

    def next(self, kind: str) -> Operation:
        """Of the kind, if there are rows for it and not too many."""
        kind = OVERWRITE if self.now.total() > MOST else kind if self.now else APPEND
        new, old = self.new_ids(), sorted(i for i, _ in self.now)
        some = self.chance.sample(old, min(len(old), BATCH))
        merged = [*some[: BATCH // 2], *new[: BATCH // 2]]
        ids = {APPEND: new, OVERWRITE: new, DELETE: some, UPDATE: some, MERGE: merged}
        return Operation(self.last, kind, tuple(ids[kind]), 0 if kind == APPEND else self.last)

    def new_ids(self) -> range:
        """Of the next operation."""
        self.last += 1
        first = self.number * 10**9 + self.last * 1000
        return range(first, first + BATCH)

    def change(self, operation: Operation) -> None:
        table, wanted = self.table(self.format), ", ".join(f"{i}L" for i in operation.ids)
        own = f"w = {self.number}"
        source = f"(SELECT {values('i', operation.version, self.number)} FROM (SELECT explode(array({wanted})) AS i))"
        if operation.kind in (APPEND, OVERWRITE):
            self.write(operation.kind, f"SELECT * FROM {source}")
        elif operation.kind == DELETE:
            self.spark.sql(f"DELETE FROM {table} WHERE {own} AND id IN ({wanted})").collect()
        elif operation.kind == UPDATE:
            self.spark.sql(f"UPDATE {table} SET v = {operation.version} WHERE {own} AND id IN ({wanted})").collect()
        else:
            self.spark.sql(
                f"MERGE INTO {table} t USING {source} s ON t.id = s.id AND t.w = {self.number} "
                "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
            ).collect()

    def write(self, kind: str, query: str) -> None:
        to = self.spark.sql(query).coalesce(1).write.format("delta").mode(kind)
        to = to if kind == APPEND else to.option("replaceWhere", f"w = {self.number}")
        to.save(str(self.folder / "delta"))


class FolderWriter(Writer):
    """Of the Parquet folder."""

    format = "parquet"

    def settle(self, operation: Operation, possible: Sequence[Rows]) -> None:
        """Spark's next append would bring in what a task of the killed job has committed, also to a plain folder."""
        shutil.rmtree(self.folder / "parquet" / f"w={self.number}" / "_temporary", ignore_errors=True)
        super().settle(operation, possible)

    def write(self, kind: str, query: str) -> None:
        # Into a folder of its own: writers of Spark's share what is temporary in a table's folder, and lose it.
        rows = self.spark.sql(query).drop("w").coalesce(1)
        rows.write.mode(kind).parquet(str(self.folder / "parquet" / f"w={self.number}"))


class Streamer(Writer):
    """Appends to the Delta table by a stream, which is started anew each time."""

    def step(self) -> None:
        operation = Operation(self.last + 1, APPEND, tuple(self.new_ids()))
        source = self.folder / f"source-{self.number}"
        source.mkdir(exist_ok=True)
        self.record.begin(operation)
        draft = self.folder / f"draft-{self.number}"
        draft.write_text("".join(f'{{"i": {i}}}\n' for i in operation.ids))
        draft.rename(source / f"{operation.number}.json")
        self.load()
        self.record.end(operation.number)
        self.now = operation.after(self.now)

    def settle(self, operation: Operation, possible: Sequence[Rows]) -> None:
        """What has arrived must be there when the stream has run to its end: to have had no effect is wrong then."""
        if not (self.folder / f"source-{self.number}" / f"{operation.number}.json").exists():
            self.record.without_effect(operation.number)
            return
        self.load()
        found, wanted = self.look(), operation.after(self.now)
        if found != wanted:
            raise self.unlike("after an interrupted stream", wanted, found)
        self.record.end(operation.number)
        self.now = found

    def load(self) -> None:
        """Runs the stream to its end; where it is refused, it goes on from where it was."""
        while not self.attempt(APPEND, self.run_stream):
            pass

    def run_stream(self) -> None:
        rows = self.spark.readStream.schema("i BIGINT").json(str(self.folder / f"source-{self.number}"))
        rows.createOrReplaceTempView("arrived")
        read = self.spark.sql(f"SELECT {values('i', 0, self.number)} FROM arrived")
        written = read.writeStream.format("delta").trigger(availableNow=True)
        checkpoint = str(self.folder / f"checkpoint-{self.number}")
        written.option("checkpointLocation", checkpoint).start(str(self.folder / "delta")).awaitTermination()
