# SPDX-License-Identifier: Apache-2.0

"""OPTIMIZE with executors that come from none, run slow tasks twice, and are killed; and two drivers at once."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from faulty import OnCluster, check, check_layout, create, faulty, optimize, session_of
from standalone import HOSTS, Cluster, on_cluster
from statements import FORMATS, SIZE

from launching import INTERPRETED, small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


pytestmark = pytest.mark.long

# What a statement may say to which another was faster; nothing was changed by it.
REFUSED = ("io.delta.exceptions.Concurrent", "ZORDER_FILES_CHANGED", "ZORDER_TABLE_LOCKED")


@pytest.fixture(scope="module")
def driver(
    tmp_path_factory: pytest.TempPathFactory, cluster: Cluster, repository: dict[str, str], faults: Path
) -> Iterator[SparkSession]:
    """A session whose executors are allocated as tasks wait, from none, and run slow tasks twice."""
    folder = tmp_path_factory.mktemp("driver")
    conf = on_cluster(small(folder) | INTERPRETED, cluster.url) | repository | faulty(faults)
    conf |= {
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
    with session_of(conf) as session:
        yield session


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


def test_two_drivers_at_once(driver: SparkSession, cluster: Cluster, tmp_path: Path) -> None:
    tables = {table_format: create(driver, tmp_path, table_format) for table_format in FORMATS}
    both = []
    for name, columns in (("one", "a, b"), ("other", "b, a")):
        texts = [
            f"OPTIMIZE {table_format}.`{table}` ZORDER BY ({columns}) OPTIONS (target_file_size = '{SIZE}')"
            for table_format, table in tables.items()
        ]
        both.append(OnCluster(tmp_path / name, texts, cluster.url, {"spark.cores.max": "1"}))
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
