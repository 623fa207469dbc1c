# SPDX-License-Identifier: Apache-2.0

"""OPTIMIZE with executors that come from none, run slow tasks twice, and are killed; and two drivers at once."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession
from standalone import HOSTS, Cluster, on_cluster
from statements import FORMATS, ROWS, SIZE, expected_rows, name_of, rows_from
from table_folder import vacuum
from tables import data_files, left_behind, rows_of
from victim import Victim

from launching import DELTA, INTERPRETED, QUICK_JAR, ZORDER, settings, small, with_shared_classes
from spark_zorder import configure_spark_with_zorder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import Row

pytestmark = pytest.mark.long

BEFORE = expected_rows()[:ROWS]
# What a statement may say to which another was faster; nothing was changed by it.
REFUSED = ("io.delta.exceptions.Concurrent", "ZORDER_FILES_CHANGED", "ZORDER_TABLE_LOCKED")


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder by whose files executors are told to fail."""
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def driver(
    tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, repository: dict[str, str], faults: Path
) -> Iterator[SparkSession]:
    """A session whose executors are allocated as tasks wait, from none, and run slow tasks twice."""
    folder = tmp_path_factory.mktemp("driver")
    conf = on_cluster(small(folder) | INTERPRETED, cluster.url) | repository
    conf |= {
        "spark.plugins": "io.sparkzorder.FaultyExecutor",
        "spark.test.faults": str(faults),
        "spark.jars": str(QUICK_JAR),
        "spark.scheduler.minRegisteredResourcesRatio": "0.0",
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.initialExecutors": "0",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.executorIdleTimeout": "5s",
        "spark.dynamicAllocation.shuffleTracking.timeout": "5s",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
    }
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder, delta=True).getOrCreate()
    yield session
    session.stop()


def create(spark: SparkSession, folder: Path, table_format: str) -> Path:
    table = folder / name_of(table_format)
    # One task, which Spark does not run twice: a copy that ends late may make its folder, `_temporary`, again.
    rows = spark.sql(rows_from(0, ROWS, 1))
    rows.write.format(table_format).option("maxRecordsPerFile", ROWS // 8).save(str(table))
    return table


def optimize(spark: SparkSession, table_format: str, table: Path) -> Row:
    return spark.sql(f"OPTIMIZE {table_format}.`{table}` ZORDER BY (a, b) OPTIONS (target_file_size = '{SIZE}')").head()


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


@pytest.mark.parametrize("table_format", FORMATS)
def test_an_executor_is_killed_in_every_stage(
    driver: SparkSession, faults: Path, tmp_path: Path, table_format: str
) -> None:
    table = create(driver, tmp_path, table_format)
    (faults / "kill").touch()
    try:
        row = optimize(driver, table_format, table)
    finally:
        (faults / "kill").unlink()
    killed = list(faults.glob("killed-*"))
    for file in killed:
        file.unlink()
    # Of the footers or the log, of the sample, of the rows that are moved, and of those that are written.
    assert len(killed) >= 4
    check_layout(row, table)
    check(driver, table)


@pytest.mark.parametrize("table_format", FORMATS)
def test_a_worker_goes_and_comes_back(
    driver: SparkSession, cluster: Cluster, faults: Path, tmp_path: Path, table_format: str
) -> None:
    table = create(driver, tmp_path, table_format)
    (faults / "hold").touch()
    with ThreadPoolExecutor(1) as other:
        running = other.submit(optimize, driver, table_format, table)
        try:
            while not (faults / "held").exists():
                threading.Event().wait(0.05)
            cluster.end_worker(HOSTS[1])
            cluster.start_worker(HOSTS[1])
        finally:
            (faults / "hold").unlink()
        row = running.result()
    (faults / "held").unlink()
    check_layout(row, table)
    check(driver, table)


class OnCluster(Victim):
    """A driver of its own, with half of the cluster, once the executors of the other have been idle for long enough."""

    url = ""

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = on_cluster(with_shared_classes(settings(folder, [DELTA, ZORDER])) | INTERPRETED, self.url)
        own = {"spark.cores.max": "1", "spark.executor.extraClassPath": str(QUICK_JAR)}
        return {key: value for key, value in conf.items() if key != "spark.plugins"} | own


def test_two_drivers_at_once(driver: SparkSession, cluster: Cluster, tmp_path: Path) -> None:
    tables = {table_format: create(driver, tmp_path, table_format) for table_format in FORMATS}
    OnCluster.url = cluster.url
    both = []
    for name, columns in (("one", "a, b"), ("other", "b, a")):
        texts = [
            f"OPTIMIZE {table_format}.`{table}` ZORDER BY ({columns}) OPTIONS (target_file_size = '{SIZE}')"
            for table_format, table in tables.items()
        ]
        both.append(OnCluster(tmp_path / name, texts))
    for one in both:
        one.ready()
    for one in both:
        one.go()
    errors = [one.outcome() for one in both]

    print(json.dumps(errors))
    for error in errors:
        assert error is None or any(refused in error for refused in REFUSED), error
    for table in tables.values():
        check(driver, table)
