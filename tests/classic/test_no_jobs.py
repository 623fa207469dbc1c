# SPDX-License-Identifier: Apache-2.0

"""Planning starts no job: EXPLAIN is instant and harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from points import create_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


def marker_job(spark: SparkSession, name: str) -> int:
    """Runs a job and returns its id. Ids are given in order; the tracker learns of them a little later."""
    context = spark.sparkContext
    context.setJobGroup(name, name)
    context.parallelize([1], 1).count()
    context._jsc.clearJobGroup()
    while not (ids := context.statusTracker().getJobIdsForGroup(name)):
        pass
    return max(ids)


def jobs_of(spark: SparkSession, name: str, action: Callable[[], object]) -> int:
    """How many jobs an action starts."""
    before = marker_job(spark, f"before {name}")
    action()
    return marker_job(spark, f"after {name}") - before - 1


@pytest.fixture(scope="module")
def name(spark: SparkSession) -> str:
    name = create_points(spark, "planned")
    # Delta's own snapshot, which every statement on the table needs, is read once.
    spark.table(name).count()
    # Delta looks for a query's files while it plans; a query over another format shows what we do.
    spark.sql("DROP TABLE IF EXISTS other")
    spark.sql("CREATE TABLE other USING parquet AS SELECT * FROM planned")
    return name


STATEMENTS = [
    "OPTIMIZE planned ZORDER BY (x, y)",
    "DESCRIBE LAYOUT planned ON (x)",
    "ADVISE LAYOUT planned FOR (SELECT * FROM planned WHERE x = 1)",
    "SELECT range_partition_id(x, 4), range_partition_id(name, 7) FROM other",
    "SELECT range_partition_id(x, 4) AS r, count(*) FROM other WHERE range_partition_id(y, 2) = 0 GROUP BY ALL",
    "SELECT column FROM describe_layout(table => 'planned') WHERE files > 1",
]

QUERIES = [statement for statement in STATEMENTS if statement.startswith("SELECT")]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("mode", ["", "EXTENDED", "FORMATTED"])
def test_explain(spark: SparkSession, name: str, statement: str, mode: str) -> None:
    assert jobs_of(spark, f"{mode} {statement}", lambda: spark.sql(f"EXPLAIN {mode} {statement}").collect()) == 0
    assert len(spark.sql(f"DESCRIBE HISTORY {name}").collect()) == 2


def test_analysis_of_a_query(spark: SparkSession, name: str) -> None:
    assert jobs_of(spark, "analysis", lambda: [spark.sql(s).schema for s in QUERIES]) == 0


def test_jobs_are_counted(spark: SparkSession, name: str) -> None:
    assert jobs_of(spark, "counted", lambda: spark.sql(QUERIES[0]).collect()) > 0
