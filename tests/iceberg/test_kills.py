# SPDX-License-Identifier: Apache-2.0

"""A driver that rewrites Iceberg tables is killed, or sleeps while another works: all rows stay, what is left is found."""

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

    from pyspark.sql import SparkSession

TABLES, KILLS, STOPS = 4, 6, 4
SEED = 20261126
DAYS = 2  # how old files are made, as Iceberg takes no younger one for an orphan


class IcebergVictim(Victim):
    """A driver with Iceberg's catalogs."""

    def __init__(self, folder: Path, catalogs: Catalogs, tables: list[str]) -> None:
        self._catalogs = catalogs
        super().__init__(folder, [optimize(table) for table in tables], stagger=0.4)

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = settings(folder, [EXTENSION, ZORDER], delta=False) | INTERPRETED | self._catalogs.settings()
        return conf | {"spark.jars": ",".join([conf["spark.jars"], *spark_jars()])}

    def go_for(self, seconds: float) -> None:
        """Starts the statements, and waits."""
        self.ready()
        self.go()
        time.sleep(seconds)


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


def lost_files(spark: SparkSession, table: str) -> set[str]:
    """The data files on disk that no snapshot has, before Iceberg's procedure removes them, and those that it left."""
    (place,) = {
        row[0].rsplit("/data/", 1)[0] for row in spark.sql(f"SELECT file_path FROM {table}.all_files").collect()
    }
    folder = Path(place.removeprefix("file:")) / "data"

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
        victim.go_for(chance.uniform(0.1, 1.0) * longest)
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
        victim.go_for(chance.uniform(0.1, 0.8) * longest)
        victim.stop()
        folder = tmp_path / f"stop-{number}"
        asleep += sum((folder / f"begun-{i}").exists() and not (folder / f"done-{i}").exists() for i in range(TABLES))
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
