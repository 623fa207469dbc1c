# SPDX-License-Identifier: Apache-2.0

"""OPTIMIZE with executors that fail as they are told to, and what is to be found after it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark import SparkContext
from pyspark.sql import SparkSession
from standalone import on_cluster
from statements import ROWS, SIZE, expected_rows, name_of, rows_from
from table_folder import vacuum
from tables import data_files, left_behind, rows_of
from victim import Victim

from launching import DELTA, INTERPRETED, QUICK_JAR, ZORDER, settings, with_shared_classes
from spark_zorder import configure_spark_with_zorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import Row

PATIENCE = 120  # seconds
BEFORE = expected_rows()[:ROWS]


def faulty(faults: Path) -> dict[str, str]:
    """Settings by which executors fail as files of the folder say."""
    own = {"spark.plugins": "io.sparkzorder.FaultyExecutor", "spark.test.faults": str(faults)}
    return own | {"spark.jars": str(QUICK_JAR)}


@contextmanager
def session_of(conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session in a JVM of its own, which would give another session what it was started with."""
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder, delta=True).getOrCreate()
    jvm = session.sparkContext._gateway.proc
    yield session
    session.stop()
    SparkContext._gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None
    # Its end is when Python closes its input.
    jvm.stdin.close()
    jvm.wait()


class OnCluster(Victim):
    """A driver in a process of its own.

    Args:
        folder: as for any victim.
        statements: as for any victim.
        url: of the master.
        conf: settings of its own.
    """

    def __init__(self, folder: Path, statements: Sequence[str], url: str, conf: Mapping[str, str]) -> None:
        self._url, self._own = url, dict(conf)
        super().__init__(folder, statements)

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = on_cluster(with_shared_classes(settings(folder, [DELTA, ZORDER])) | INTERPRETED, self._url)
        own = {
            "spark.jars": f"{conf['spark.jars']},{QUICK_JAR}",
            "spark.executor.extraClassPath": str(QUICK_JAR),
            **self._own,
        }
        return {key: value for key, value in conf.items() if key != "spark.plugins"} | own


def create(spark: SparkSession, folder: Path, table_format: str) -> Path:
    table = folder / name_of(table_format)
    # One task, which Spark does not run twice: a copy that ends late may make its folder, `_temporary`, again.
    rows = spark.sql(rows_from(0, ROWS, 1))
    rows.write.format(table_format).option("maxRecordsPerFile", ROWS // 8).save(str(table))
    return table


def by_path(table_format: str, table: Path | str) -> str:
    """The statement on a table that is named by its folder."""
    return f"OPTIMIZE {table_format}.`{table}` ZORDER BY (a, b) OPTIONS (target_file_size = '{SIZE}')"


def optimize(spark: SparkSession, table_format: str, table: Path) -> Row:
    return spark.sql(by_path(table_format, table)).head()


def check(spark: SparkSession, table: Path) -> None:
    """All rows are there, and nothing else is."""
    assert rows_of(table) == BEFORE
    if (table / "_delta_log").exists():
        # As with any writer, files of a task that was lost or of a commit that failed are there until then.
        vacuum(spark, table)
    assert left_behind(table) == []
    assert rows_of(table) == BEFORE


def check_layout(row: Row, table: Path) -> None:
    """The layout is that of a run without faults."""
    assert [round(gain["point_read_share_after"], 2) for gain in row["layout"]] == [0.25, 0.5]
    assert row["metrics"]["numFilesAdded"] == len(data_files(table)) == 8


def wait_until(what: Callable[[], bool], message: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, message
        time.sleep(0.05)


def taken(faults: Path, pattern: str) -> list[str]:
    """The names of the signs that executors left; they are gone after it."""
    files = sorted(faults.glob(pattern))
    for file in files:
        file.unlink()
    return [file.name for file in files]
