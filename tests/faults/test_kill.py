# SPDX-License-Identifier: Apache-2.0

"""SIGKILL of the driver at moments over the whole of OPTIMIZE and around its commit: no row is lost or doubled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import kill_log
import pytest
import table_folder
from kill_log import Death
from moments import Course, Moment, before_the_commit, draw, some
from victim import Victim

from launching import ROOT
from turns import today

if TYPE_CHECKING:
    from pathlib import Path

    from plain_delta import PlainDelta, Seen
    from pyspark.sql import SparkSession

LOG = ROOT / ".build" / "test-reports" / "faults" / "kill-log.md"
PATIENCE = 600  # seconds; only a driver that hangs takes so long
SIZE = 20_000  # bytes; about 20 files


def statement(table: Path) -> str:
    return f"OPTIMIZE delta.`{table}` ZORDER BY (a, b) OPTIONS (target_file_size = '{SIZE}')"


class Killing:
    """Copies of one table, each to be optimized by a driver that is killed."""

    def __init__(self, spark: SparkSession, plain: PlainDelta, folder: Path) -> None:
        self.spark = spark
        self.plain = plain
        self.folder = folder
        self.table = table_folder.create(spark, folder / "table", 40_000, 6, partitions=2, vectors=True)
        self.versions = table_folder.versions(self.table)
        self.before: Seen = plain.see(self.table)
        self.number = 0

    def victim(self) -> tuple[Victim, Path]:
        """A driver that starts in the background, and the table that it will optimize."""
        self.number += 1
        table = table_folder.copy(self.table, self.folder / f"table-{self.number}")
        folder = self.folder / f"victim-{self.number}"
        return Victim(folder, [statement(table)]), table

    def inquest(self, victim: Victim, table: Path, moment: str, files: int) -> Death:
        """What the killed driver left, and what can be done with it."""
        left = table_folder.data_on_disk(table)
        originals = {table / file.relative_to(self.table) for file in table_folder.data_on_disk(self.table)}
        found = self.plain.see(table)
        committed = found.version > self.before.version
        if committed:
            phase = "after the commit"
        elif table_folder.unfinished_commits(table):
            phase = "in the commit: its file is there under a temporary name"
        else:
            complete = sum(table_folder.is_complete(file) for file in left - originals)
            phase = kill_log.phase(len(left - originals), complete, files, victim.last_job())
        self.spark.sql(statement(table)).collect()
        table_folder.vacuum(self.spark, table)
        after = self.plain.see(table)
        return Death(
            moment,
            phase,
            committed,
            len(left - originals - found.files),
            rows_equal=found.rows == self.before.rows,
            again=after.rows == self.before.rows and after.version > found.version,
            clean=table_folder.data_on_disk(table) == after.files,
        )


@pytest.fixture(scope="module")
def killing(spark: SparkSession, plain: PlainDelta, tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(spark, plain, tmp_path_factory.mktemp("kill"))


@pytest.mark.long
def test_no_row_is_lost_or_doubled_whenever_the_driver_dies(killing: Killing, is_long: bool, is_nightly: bool) -> None:
    course, first = watched(killing)
    deaths = [first]
    moments = draw(course.files)
    if not is_nightly:
        moments = some(moments, today()) if is_long else before_the_commit(moments)
    victim, table = killing.victim()
    for i, moment in enumerate(moments):
        victim.ready()
        events = table_folder.watch(table)
        victim.go()
        moment.wait(events, course, PATIENCE)
        # On a busy machine a moment may come late; the driver, which waits, then dies after its commit.
        assert not victim.finished() or victim.error() is None
        victim.kill()
        events.close()
        dead, its_table = victim, table
        # The next driver starts while this one's table is looked at.
        if i + 1 < len(moments):
            victim, table = killing.victim()
        deaths.append(killing.inquest(dead, its_table, str(moment), course.files))
        kill_log.write(LOG, deaths)
    print(LOG.read_text())

    assert [d for d in deaths if not (d.rows_equal and d.again and d.clean)] == []
    # The seed has chosen moments on both sides of the commit, and within it.
    assert len({d.committed for d in deaths}) == 2
    assert sum(d.phase.startswith("writing") for d in deaths) > 0


def watched(killing: Killing) -> tuple[Course, Death]:
    """The first to die, just after its commit, which shows how long the steps take."""
    victim, table = killing.victim()
    victim.ready()
    events = table_folder.watch(table)
    victim.go()
    course = Course.watch(events, PATIENCE)
    victim.kill()
    events.close()
    return course, killing.inquest(victim, table, str(Moment("version", 0.0)), course.files)
