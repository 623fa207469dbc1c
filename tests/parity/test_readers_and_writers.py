# SPDX-License-Identifier: Apache-2.0

"""Concurrent readers and writers of the table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from delta.tables import DeltaTable
from pyspark.errors import PySparkException
from sides import EVENTS, local

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sides import Table


def test_a_reader_that_began_before_goes_on(table: Table) -> None:
    table.of_events(rows=60)
    opened = table.side.session.table(table.name)
    rows, files = table.rows(), {local(file) for file in opened.inputFiles()}
    table.optimize("a, b")
    assert {repr(row) for row in opened.collect()} == rows.keys()
    assert {local(file) for file in opened.inputFiles()} == files != table.files


def test_a_streaming_reader_sees_each_row_once(table: Table, tmp_path: Path) -> None:
    table.of_events(rows=30)
    session = table.side.session

    def read_on() -> None:
        stream = session.readStream.table(table.name).writeStream.option("checkpointLocation", str(tmp_path / "state"))
        stream.format("parquet").trigger(availableNow=True).start(str(tmp_path / "read")).awaitTermination()

    read_on()
    table.optimize("a, b", files=3)
    table.append(EVENTS, 30, 32)
    read_on()
    seen = sorted(row["id"] for row in session.read.parquet(str(tmp_path / "read")).select("id").collect())
    assert seen == list(range(32))


def test_concurrent_appends_are_kept(table: Table) -> None:
    table.of_events(rows=60)
    before = table.rows()
    with ThreadPoolExecutor() as threads:
        running = threads.submit(lambda: [table.sql("OPTIMIZE {t} ZORDER BY (a, b)") for _ in range(2)])
        for start in range(60, 64):
            table.append(EVENTS, start, start + 1)
        running.result()
    rows = table.rows()
    assert before < rows
    assert sorted(row["id"] for row in table.sql("SELECT id FROM {t}")) == list(range(64))


def test_rows_deleted_concurrently_do_not_come_back(table: Table) -> None:
    """Whoever commits second must see the first or fail; which of the two it is does not matter here."""
    table.of_events(rows=60, properties={"delta.enableDeletionVectors": "true"})
    deleted: set[int] = set()

    def attempt(run: Callable[[], object]) -> bool:
        try:
            run()
        except PySparkException as error:
            if "CONCURRENT" not in str(error):
                raise
            return False
        return True

    with ThreadPoolExecutor() as threads:
        for number in range(2):
            running = threads.submit(attempt, lambda: table.sql("OPTIMIZE {t} ZORDER BY (a, b)"))
            delete = f"id % 20 = {number}"
            if attempt(lambda: DeltaTable.forName(table.side.session, table.name).delete(delete)):  # noqa: B023
                deleted |= set(range(number, 60, 20))
            running.result()
    assert {row["id"] for row in table.sql("SELECT id FROM {t}")} == set(range(60)) - deleted
    table.optimize("a")
