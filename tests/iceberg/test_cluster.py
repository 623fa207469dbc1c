# SPDX-License-Identifier: Apache-2.0

"""Iceberg tables on a standalone cluster: executors have all classes, and the loss of one loses no row."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from catalogs import EXTENSION, Catalogs, rows, spark_jars
from standalone import Cluster, on_cluster
from test_kills import PATIENCE, folder_of, optimize
from test_statements import create
from victim import Victim

from launching import INTERPRETED, ZORDER, settings

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

REWRITTEN = ["rest.db.on_cluster", "rest.db.on_cluster_too"]
READ, KEYS = "rest.db.read_on_cluster", "rest.db.keys"
# What leaves out files by a node of ours: first rows, the keys of a join that is broadcast, of one that is shuffled,
# and of one by a function.
QUERIES = [
    f"SELECT id FROM {READ} ORDER BY a, id LIMIT 20",
    f"SELECT max(a) AS m, min(a) AS n FROM {READ}",
    f"SELECT id FROM {READ} JOIN {KEYS} ON a = k WHERE v = 3",
    f"SELECT /*+ MERGE({KEYS}) */ id FROM {READ} JOIN {KEYS} ON a = k WHERE v = 3",
    f"SELECT id FROM {READ} JOIN {KEYS} ON a + 1 = k WHERE v = 3",
]


class ClusterVictim(Victim):
    """A driver of the cluster with Iceberg's catalogs."""

    def __init__(self, folder: Path, statements: list[str], catalogs: Catalogs, url: str) -> None:
        self._catalogs, self._url = catalogs, url
        super().__init__(folder, statements, stagger=0.7)

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = settings(folder, [EXTENSION, ZORDER], delta=False) | INTERPRETED | self._catalogs.settings()
        return on_cluster(conf | {"spark.jars": ",".join([conf["spark.jars"], *spark_jars()])}, self._url)


def test_rewrites_and_queries_on_a_cluster_that_loses_an_executor(
    spark: SparkSession, catalogs: Catalogs, tmp_path: Path
) -> None:
    for table in (*REWRITTEN, READ):
        create(spark, table, partitioned_by="bucket(3, c)")
    spark.sql(f"CREATE TABLE {KEYS} USING iceberg AS SELECT CAST(id AS INT) AS k, id % 40 AS v FROM range(120)")
    spark.sql(optimize(READ)).collect()
    expected = {table: rows(spark, f"SELECT * FROM {table}") for table in REWRITTEN}
    snapshots = {table: spark.table(f"{table}.snapshots").count() for table in REWRITTEN}
    folder = folder_of(spark, REWRITTEN[0])
    answers = [f"CREATE TABLE rest.db.answer_{i} USING iceberg AS {query}" for i, query in enumerate(QUERIES)]

    cluster = Cluster(tmp_path)
    try:
        driver = ClusterVictim(tmp_path / "driver", [*map(optimize, REWRITTEN), *answers], catalogs, cluster.url)
        driver.ready()
        lost = cluster.executors()[0]
        driver.go()
        end = time.monotonic() + PATIENCE
        while not any(folder.rglob("[0-9]*zorder-*.parquet")):
            assert time.monotonic() < end
            time.sleep(0.005)
        os.kill(lost, signal.SIGKILL)
        spark.sql(f"INSERT INTO {REWRITTEN[1]} VALUES (-1, 5, 1.0D, 'appended')").collect()
        assert driver.outcome() is None
    finally:
        cluster.end()

    expected[REWRITTEN[1]] += rows(spark, "SELECT -1L AS id, 5 AS a, 1.0D AS b, 'appended' AS c")
    for table in REWRITTEN:
        spark.sql(f"REFRESH TABLE {table}")
        assert rows(spark, f"SELECT * FROM {table}") == expected[table]
        assert spark.table(f"{table}.snapshots").count() > snapshots[table]
    spark.conf.set("spark.sql.zorder.skipping.enabled", "false")
    try:
        for i, query in enumerate(QUERIES):
            assert rows(spark, f"SELECT * FROM rest.db.answer_{i}") == rows(spark, query)
    finally:
        spark.conf.unset("spark.sql.zorder.skipping.enabled")
