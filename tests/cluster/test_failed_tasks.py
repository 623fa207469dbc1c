# SPDX-License-Identifier: Apache-2.0

"""OPTIMIZE whose tasks fail and are run again, or fail for good; and a worker that is decommissioned."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from faulty import BEFORE, check, check_layout, create, faulty, optimize, session_of, taken, wait_until
from standalone import HOSTS, Cluster, on_cluster
from statements import FORMATS
from tables import data_files, rows_of

from launching import INTERPRETED, small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.long

# As many as Spark runs a task.
ATTEMPTS = 4


@pytest.fixture(scope="module")
def driver(
    tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, repository: dict[str, str], faults: Path
) -> Iterator[SparkSession]:
    """A session whose executors move their blocks to others when their worker is decommissioned."""
    folder = tmp_path_factory.mktemp("driver")
    conf = on_cluster(small(folder) | INTERPRETED, cluster.url) | repository | faulty(faults)
    conf |= {
        "spark.task.maxFailures": str(ATTEMPTS),
        # As many tasks as files, so that both executors have rows to move.
        "spark.sql.files.maxPartitionBytes": "32k",
        "spark.sql.files.openCostInBytes": "0",
        "spark.decommission.enabled": "true",
        "spark.storage.decommission.enabled": "true",
        "spark.storage.decommission.shuffleBlocks.enabled": "true",
        "spark.storage.decommission.rddBlocks.enabled": "true",
        "spark.storage.decommission.replicationReattemptInterval": "1s",
    }
    with session_of(conf) as session:
        yield session


@pytest.mark.parametrize("table_format", FORMATS)
def test_every_task_fails_three_times(driver: SparkSession, faults: Path, tmp_path: Path, table_format: str) -> None:
    table = create(driver, tmp_path, table_format)
    (faults / "fail").write_text(str(ATTEMPTS - 1))
    try:
        row = optimize(driver, table_format, table)
    finally:
        (faults / "fail").unlink()
    failed = taken(faults, "failed-*")

    # Of the footers or the log, of the sample, of the rows that are moved, and of those that are written.
    assert len({name.split(".")[0] for name in failed}) >= 4
    assert sum(name.endswith(f".{ATTEMPTS - 2}") for name in failed) == len(failed) / (ATTEMPTS - 1)
    check_layout(row, table)
    check(driver, table)


@pytest.mark.parametrize("kind", ["fail", "fail-writers"])
@pytest.mark.parametrize("table_format", FORMATS)
def test_a_task_fails_for_good(
    driver: SparkSession, faults: Path, tmp_path: Path, table_format: str, kind: str
) -> None:
    table = create(driver, tmp_path, table_format)
    files = data_files(table)
    (faults / kind).write_text(str(ATTEMPTS))
    try:
        with pytest.raises(Exception, match="told to fail"):
            optimize(driver, table_format, table)
    finally:
        (faults / kind).unlink()

    assert any(name.endswith(f".{ATTEMPTS - 1}") for name in taken(faults, "failed-*"))
    assert data_files(table) == files
    assert rows_of(table) == BEFORE
    check(driver, table)
    # Nothing of it stands in the way of the next run.
    check_layout(optimize(driver, table_format, table), table)
    check(driver, table)


@pytest.mark.parametrize("table_format", FORMATS)
def test_a_worker_is_decommissioned(
    driver: SparkSession, cluster: Cluster, faults: Path, tmp_path: Path, table_format: str
) -> None:
    # Both, and the driver itself: that of a new worker comes late.
    wait_until(lambda: driver._jsc.sc().getExecutorMemoryStatus().size() == 1 + len(HOSTS), "an executor is missing")
    table = create(driver, tmp_path, table_format)
    moved = blocks_moved(cluster)
    worker = cluster.workers[HOSTS[1]]
    (faults / "hold-writers").touch()
    with ThreadPoolExecutor(1) as other:
        running = other.submit(optimize, driver, table_format, table)
        try:
            # One on each worker, whose executors hold the rows that were moved.
            wait_until(lambda: len(list(faults.glob("held-*"))) == len(HOSTS) or running.done(), "no task has written")
            (executor,) = worker.executors()
            worker.decommission()
            wait_until(lambda: blocks_moved(cluster) > moved, "no block was moved")
            (faults / "hold-writers").unlink()
            row = running.result()
            wait_until(lambda: executor not in worker.executors(), "the executor is still there")
        finally:
            (faults / "hold-writers").unlink(missing_ok=True)
            taken(faults, "held-*")
            cluster.end_worker(HOSTS[1])
            cluster.start_worker(HOSTS[1])
    check_layout(row, table)
    check(driver, table)


def blocks_moved(cluster: Cluster) -> int:
    """Blocks of shuffles that the second worker's executors have given to others."""
    return cluster.executor_logs(HOSTS[1]).count("Migrated migrate_shuffle_")
