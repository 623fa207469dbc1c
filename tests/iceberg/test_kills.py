# SPDX-License-Identifier: Apache-2.0

"""A driver that rewrites Iceberg tables is killed, or sleeps while another works: rows stay, what is left is found."""

from __future__ import annotations

import os
import random
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from catalogs import EXTENSION, Catalogs, rows, spark_jars
from test_statements import create
from victim import Victim

from launching import INTERPRETED, ZORDER, settings

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from pyspark.sql import SparkSession

TABLES, KILLS, STOPS = 4, 6, 4
SEED = 20261126
PATIENCE = 300  # seconds for a statement
DAYS = 2  # how old files are made, as Iceberg takes no younger one for an orphan


class IcebergVictim(Victim):
    """A driver with Iceberg's catalogs."""

    def __init__(self, folder: Path, catalogs: Catalogs, tables: list[str]) -> None:
        self._catalogs, self._folder = catalogs, folder
        super().__init__(folder, [optimize(table) for table in tables], stagger=0.7)

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = settings(folder, [EXTENSION, ZORDER], delta=False) | INTERPRETED | self._catalogs.settings()
        return conf | {"spark.jars": ",".join([conf["spark.jars"], *spark_jars()])}

    def go_until_one_writes(self, chance: random.Random, folders: list[Path]) -> None:
        """Starts the statements, and waits until a folder has the first of its new files, and a moment more."""
        self.ready()
        self.go()
        waited_for = folders[chance.randrange(len(folders))]
        self._wait_for(lambda: any(waited_for.rglob("[0-9]*zorder-*.parquet")))
        time.sleep(chance.uniform(0.0, 0.1))

    def go_until_some_have_ended(self, chance: random.Random, done: int, longest: float) -> None:
        """Starts the statements, and waits until some have ended, and for a part of the time of one more."""
        self.ready()
        self.go()
        self._wait_for(lambda: len(list(self._folder.glob("done-*"))) >= done)
        time.sleep(chance.uniform(0.0, 1.0) * longest / (1 if done == 0 else TABLES))

    def _wait_for(self, happened: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end
            time.sleep(0.005)

    def under_way(self) -> int:
        return len(list(self._folder.glob("begun-*"))) - len(list(self._folder.glob("done-*")))


def optimize(table: str) -> str:
    return f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (target_file_size = '10k')"


def names(test: str) -> list[str]:
    return [f"rest.db.{test}_{number}" for number in range(TABLES)]


def seconds_of_a_run(spark: SparkSession, catalogs: Catalogs, folder: Path, tables: list[str]) -> float:
    """How long all statements take together when nobody disturbs them."""
    for table in tables:
        create(spark, table, partitioned_by="bucket(3, c)")
    victim = IcebergVictim(folder, catalogs, tables)
    victim.ready()
    start = time.monotonic()
    victim.go()
    assert victim.error() is None
    taken = time.monotonic() - start
    victim.kill()
    return taken


def seen(spark: SparkSession, catalogs: Catalogs, table: str) -> tuple[Counter[str], Counter[str]]:
    """The rows for Spark, and for pyiceberg."""
    return rows(spark, f"SELECT * FROM {table}"), catalogs.read_elsewhere(spark, table, None)[0]


def begin(victim: IcebergVictim, chance: random.Random, number: int, folders: list[Path], longest: float) -> None:
    """Starts its statements and waits, each other time for a file."""
    if number % 2:
        victim.go_until_one_writes(chance, folders)
    else:
        victim.go_until_some_have_ended(chance, number // 2 % TABLES, longest)


def folder_of(spark: SparkSession, table: str) -> Path:
    """Where the data files of the table are."""
    paths = spark.sql(f"SELECT file_path FROM {table}.all_files").collect()
    (place,) = {row[0].rsplit("/data/", 1)[0] for row in paths}
    return Path(place.removeprefix("file:")) / "data"


def lost_files(spark: SparkSession, table: str) -> set[str]:
    """The data files on disk that no snapshot has, before Iceberg's procedure removes them; after it there are none."""
    folder = folder_of(spark, table)

    def without_a_snapshot() -> set[str]:
        known = {
            row[0].rsplit("/data/", 1)[1] for row in spark.sql(f"SELECT file_path FROM {table}.all_files").collect()
        }
        found = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
        return {name for name in found if not Path(name).name.startswith(".") and name not in known}

    lost = without_a_snapshot()
    assert all("zorder-" in name for name in lost), lost
    old = time.time() - DAYS * 86_400
    for file in folder.rglob("*"):
        os.utime(file, (old, old))
    before = (datetime.now(timezone.utc) - timedelta(hours=25)).strftime("%Y-%m-%d %H:%M:%S")
    catalog, name = table.split(".", 1)
    call = f"CALL {catalog}.system.remove_orphan_files(table => '{name}', older_than => TIMESTAMP '{before}')"
    spark.sql(call).collect()
    assert without_a_snapshot() == set()
    return lost


def test_a_killed_driver_loses_no_row_and_leaves_what_iceberg_finds(
    spark: SparkSession, catalogs: Catalogs, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    longest = seconds_of_a_run(spark, catalogs, tmp_path / "whole", names("not_killed"))
    rewritten = left = 0
    for number in range(KILLS):
        tables = names(f"killed_{number}")
        for table in tables:
            create(spark, table, partitioned_by="bucket(3, c)")
        before = {table: seen(spark, catalogs, table) for table in tables}
        snapshots = {table: spark.table(f"{table}.snapshots").count() for table in tables}

        victim = IcebergVictim(tmp_path / f"kill-{number}", catalogs, tables)
        begin(victim, chance, number, [folder_of(spark, table) for table in tables], longest)
        victim.kill()

        for table in tables:
            rewritten += spark.table(f"{table}.snapshots").count() - snapshots[table]
            assert seen(spark, catalogs, table) == before[table]
            left += len(lost_files(spark, table))
            spark.sql(optimize(table)).collect()
            assert seen(spark, catalogs, table) == before[table]
    print(f"{rewritten} of {KILLS * TABLES} tables were rewritten before the kill; {left} files were left")
    assert 0 < rewritten < KILLS * TABLES
    assert left > 0


@pytest.mark.parametrize("work", ["rows", "rewrite"])
def test_a_driver_that_sleeps_while_another_works(
    spark: SparkSession, catalogs: Catalogs, tmp_path: Path, work: str
) -> None:
    chance = random.Random(SEED)
    longest = seconds_of_a_run(spark, catalogs, tmp_path / "whole", names(f"not_stopped_{work}"))
    asleep = 0
    for number in range(STOPS):
        tables = names(f"{work}_{number}")
        for table in tables:
            create(spark, table, partitioned_by="bucket(3, c)")
        victim = IcebergVictim(tmp_path / f"stop-{number}", catalogs, tables)
        begin(victim, chance, number, [folder_of(spark, table) for table in tables], longest)
        victim.stop()
        asleep += victim.under_way()
        for table in tables:
            if work == "rows":
                spark.sql(f"DELETE FROM {table} WHERE id % 7 = 3").collect()
                spark.sql(f"INSERT INTO {table} SELECT id + 10000, 1, 2.0D, 'user-1' FROM range(20)").collect()
                spark.sql(f"UPDATE {table} SET a = a + 1 WHERE id % 5 = 1").collect()
            else:
                spark.sql(optimize(table)).collect()
        expected = {table: seen(spark, catalogs, table) for table in tables}

        victim.go_on()
        victim.outcome()  # of what was overtaken, an error

        for table in tables:
            assert seen(spark, catalogs, table) == expected[table]
            lost_files(spark, table)
            assert seen(spark, catalogs, table) == expected[table]
    print(f"{asleep} statements were under way when their driver was stopped")
    assert asleep > STOPS
