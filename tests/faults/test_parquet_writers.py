# SPDX-License-Identifier: Apache-2.0

"""Appends and reads while Parquet tables are rewritten again and again; two rewrites at once."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquet_folder import data_files
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

REWRITES = 10  # of each table
APPENDS = 5  # for each rewrite
BATCH = 20  # rows of an appended file
PARTITIONS = 3
# How a read ends whose files were listed before a rewrite took them away.
FILE_IS_GONE = ("FAILED_READ_FILE.FILE_NOT_EXIST", "NoSuchFileException")


class Appender:
    """Puts files with ids of their own into a table, in one step each, as other engines do."""

    def __init__(self, table: Path, *, partitioned: bool) -> None:
        self.table = table
        self.partitioned = partitioned
        self.ids: list[int] = []
        self.batches = 0

    def folder(self) -> Path:
        return self.table / f"p={self.batches % PARTITIONS}" if self.partitioned else self.table

    def step(self) -> None:
        first = self.batches * BATCH
        ids = list(range(first, first + BATCH))
        values = [i * 7919 % 1000 for i in ids]
        data = pa.table({"id": pa.array(ids, pa.int64()), "a": pa.array(values, pa.int32())})
        folder = self.folder()
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"_part-{self.batches}"
        pq.write_table(data, draft)
        draft.rename(folder / f"theirs-{self.batches}.parquet")
        self.batches += 1
        # A reader that begins after this must see them.
        self.ids += ids


class Reader:
    """Reads all ids with the extension, and compares them with what had been appended before it began."""

    def __init__(self, spark: SparkSession, appender: Appender) -> None:
        self.spark = spark.newSession()
        self.appender = appender
        self.reads = 0
        self.retries = 0
        self.wrong: list[str] = []

    def step(self) -> None:
        before = len(self.appender.ids)
        # By turns of all files, and of those that the index leaves.
        low = 0 if self.reads % 2 == 0 else 500
        try:
            # Spark would learn the columns from a file that may be gone when it opens it.
            table = self.spark.read.schema("id BIGINT, a INT").parquet(str(self.appender.table))
            ids = Counter(row["id"] for row in table.where(f"a >= {low}").select("id").collect())
        except (PySparkException, Py4JJavaError) as error:
            if not any(text in str(error) for text in FILE_IS_GONE):
                raise
            self.retries += 1
            return
        self.reads += 1
        wanted = [i for i in self.appender.ids[:before] if i * 7919 % 1000 >= low]
        if lost := [i for i in wanted if i not in ids]:
            self.wrong.append(f"lost of {len(wanted)}: {lost}")
        if doubled := [i for i, n in ids.items() if n > 1]:
            self.wrong.append(f"doubled: {doubled}")


class Repeating(threading.Thread):
    """Repeats a step until told to stop; keeps the error that ended it."""

    def __init__(self, step: Callable[[], None], stop: threading.Event, pause: float) -> None:
        super().__init__()
        self.step, self.stop, self.pause = step, stop, pause
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            while not self.stop.wait(self.pause):
                self.step()
        except Exception as error:
            self.error = error


def rows_on_disk(table: Path) -> Counter[Any]:
    """Ids and values without Spark; with the partition, if it has them."""
    rows: Counter[Any] = Counter()
    for file in data_files(table):
        columns = pq.ParquetFile(file).read().to_pydict()
        rows.update((file.parent.name, i, a) for i, a in zip(columns["id"], columns["a"], strict=True))
    return rows


@pytest.mark.daily
@pytest.mark.parametrize("partitioned", [True, pytest.param(False, marks=pytest.mark.long)])
def test_no_append_is_lost_and_no_row_is_doubled(spark: SparkSession, tmp_path: Path, partitioned: bool) -> None:
    appender = Appender(tmp_path / "t", partitioned=partitioned)
    for _ in range(2 * PARTITIONS):
        appender.step()
    reader = Reader(spark, appender)
    stop = threading.Event()
    rewritten: list[int] = []

    def append() -> None:
        # On a slow machine, too, a rewrite has few files to read.
        if appender.batches < 2 * PARTITIONS + APPENDS * (len(rewritten) + 1):
            appender.step()

    threads = [Repeating(append, stop, 0.05), Repeating(reader.step, stop, 0.05)]
    for thread in threads:
        thread.start()
    try:
        for i in range(REWRITES):
            mode = "full" if i % 3 == 0 else "incremental"
            statement = f"OPTIMIZE parquet.`{appender.table}` ZORDER BY (a, id) "
            statement += f"OPTIONS (target_file_size = '3k', mode = '{mode}')"
            (result,) = spark.sql(statement).collect()
            rewritten.append(result["metrics"]["numFilesRemoved"])
    finally:
        stop.set()
        for thread in threads:
            thread.join()

    print(f"{appender.batches} appends, {rewritten} files rewritten, {reader.reads} reads, {reader.retries} read again")
    for thread in threads:
        if thread.error:
            raise thread.error
    assert reader.wrong == []
    assert all(rewritten)
    assert reader.reads > 0
    name = (lambda i: f"p={i // BATCH % PARTITIONS}") if partitioned else (lambda _: appender.table.name)
    expected = Counter((name(i), i, i * 7919 % 1000) for i in appender.ids)
    assert rows_on_disk(appender.table) == expected
    assert Counter(r["id"] for r in spark.read.parquet(str(appender.table)).collect()) == Counter(appender.ids)


def test_the_second_of_two_statements_waits_and_works_on_the_new_files(spark: SparkSession, tmp_path: Path) -> None:
    appender = Appender(tmp_path / "t", partitioned=False)
    for _ in range(8):
        appender.step()
    before = rows_on_disk(appender.table)
    statement = f"OPTIMIZE parquet.`{appender.table}` ZORDER BY (a, id) OPTIONS (target_file_size = '3k')"
    results: list[Any] = []
    barrier = threading.Barrier(2)

    def optimize(session: SparkSession) -> None:
        barrier.wait()
        results.extend(session.sql(statement).collect())

    threads = [threading.Thread(target=optimize, args=(spark.newSession(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # The one that came second has taken away what the first had written, in whichever order they are in the list.
    first, second = sorted((r["metrics"] for r in results), key=lambda m: m["numFilesRemoved"] != 8)
    assert first["numFilesRemoved"] == 8
    assert second["numFilesRemoved"] == first["numFilesAdded"]
    assert len(data_files(appender.table)) == second["numFilesAdded"]
    assert rows_on_disk(appender.table) == before


def test_without_patience_the_second_is_told_who_holds_the_table(spark: SparkSession, tmp_path: Path) -> None:
    appender = Appender(tmp_path / "t", partitioned=False)
    for _ in range(4):
        appender.step()
    impatient = spark.newSession()
    impatient.conf.set("spark.sql.zorder.parquet.lockWait", "0")
    statement = f"OPTIMIZE parquet.`{appender.table}` ZORDER BY (a, id) OPTIONS (force = true)"
    locks = appender.table / "_zorder" / "locks"
    locks.mkdir(parents=True)
    # Of a process elsewhere, of which nobody here can know whether it is alive.
    holder = locks / str(uuid.uuid4())
    now = int(time.time() * 1000)
    holder.write_text(json.dumps({"machine": "m", "pid": 77, "started": 1, "host": "elsewhere", "since": now}))

    for sql in (statement, f"ANALYZE TABLE parquet.`{appender.table}` COMPUTE FILE STATISTICS"):
        with pytest.raises(PySparkException) as caught:
            impatient.sql(sql).collect()
        assert (caught.value.getCondition(), caught.value.getSqlState()) == ("ZORDER_TABLE_LOCKED", "55006")
        assert "process 77 on elsewhere" in str(caught.value)
    # A dry run asks for no lock, nor does a query.
    assert impatient.sql(f"{statement} DRY RUN").collect()[0]["metrics"]["numFilesRemoved"] == 4
    assert impatient.read.parquet(str(appender.table)).count() == 4 * BATCH
    holder.unlink()
    assert impatient.sql(statement).collect()[0]["metrics"]["numFilesRemoved"] == 4
