# SPDX-License-Identifier: Apache-2.0

"""Joins, MERGE, first rows and functions that skip files, on classic and Connect sessions, with the rows as without."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from points import FILES, bytes_per_file, create_points

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

DYNAMIC = "spark.sql.zorder.skipping.dynamic"


@pytest.fixture(params=["delta", "parquet"])
def clustered(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """A table that is z-ordered by x and y, as SQL names it."""
    points = create_points(spark, "skipped_points")
    name = points
    if request.param == "parquet":
        name = f"parquet.`{tmp_path / 'points'}`"
        spark.table(points).write.parquet(str(tmp_path / "points"))
    size = bytes_per_file(spark, points)
    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{size}')").collect()
    yield name
    spark.sql(f"DROP TABLE {points}")


def rows(spark: SparkSession, query: str) -> Counter:
    return Counter(spark.sql(query).collect())


def requires_same_rows(spark: SparkSession, query: str) -> Counter:
    """The rows of a query, which must be those without dynamic skipping."""
    found = rows(spark, query)
    spark.conf.set(DYNAMIC, "false")
    try:
        assert found == rows(spark, query), query
    finally:
        spark.conf.unset(DYNAMIC)
    return found


@pytest.mark.statement
def test_joins(spark: SparkSession, clustered: str) -> None:
    keys = "(SELECT CAST(id AS INT) AS k, id * 2 AS twice FROM range(64))"
    for query in [
        f"SELECT t.* FROM {clustered} t JOIN {keys} d ON t.x = d.k WHERE d.twice < 6",
        f"SELECT * FROM {clustered} WHERE x IN (SELECT k FROM {keys} WHERE twice = 126)",
        f"SELECT * FROM {clustered} t WHERE EXISTS (SELECT 1 FROM {keys} WHERE k = t.y AND twice BETWEEN 10 AND 20)",
        f"SELECT t.id, a.k, b.k FROM {clustered} t JOIN {keys} a ON t.x = a.k JOIN {keys} b ON t.y = b.k "
        "WHERE a.twice < 4 AND b.twice > 120",
    ]:
        assert requires_same_rows(spark, query)
    # Nothing is known of the keys before the query runs.
    (row,) = (
        r
        for r in spark.sql(
            f"EXPLAIN SKIPPING SELECT * FROM {clustered} t JOIN {keys} d ON t.x = d.k WHERE d.twice < 6"
        ).collect()
        if r["files_total"]
    )
    assert row["note"].startswith("a run may read fewer files: those with t.x IN (keys of join by d.k)")


@pytest.mark.daily
@pytest.mark.statement
def test_joins_without_a_broadcast(spark: SparkSession, clustered: str) -> None:
    spark.sql("DROP TABLE IF EXISTS keys_of_points")
    spark.sql(
        "CREATE TABLE keys_of_points USING parquet AS SELECT CAST(id AS INT) AS k, id * 2 AS twice FROM range(64)"
    )
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        join = f"SELECT * FROM {clustered} t JOIN keys_of_points d ON t.x = d.k WHERE d.twice + 0 < 6"
        for query in [
            join,
            f"SELECT * FROM {clustered} WHERE x IN (SELECT k FROM keys_of_points WHERE twice + 0 > 120)",
            f"SELECT * FROM keys_of_points d LEFT JOIN {clustered} t ON t.x = d.k WHERE d.twice + 0 < 6",
        ]:
            assert requires_same_rows(spark, query)
        # The table of keys is there once, though its keys are read before.
        found = spark.sql(f"EXPLAIN SKIPPING {join}").collect()
        assert len(found) == 2
        assert any("t.x BETWEEN (keys of a join)" in (row["note"] or "") for row in found)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
        spark.sql("DROP TABLE keys_of_points")


@pytest.mark.statement
def test_first_rows_and_functions(spark: SparkSession, clustered: str) -> None:
    for query, most in [
        (f"SELECT x, y, id FROM {clustered} ORDER BY x, y, id LIMIT 5", FILES // 2),
        (f"SELECT y FROM {clustered} ORDER BY y DESC LIMIT 100", FILES // 2),
        (f"SELECT x + 1 AS z FROM {clustered} WHERE x + 1 = 20", FILES // 2),
        (f"SELECT id FROM {clustered} WHERE 2 * y - x > 120", FILES),
    ]:
        assert requires_same_rows(spark, query)
        (row,) = spark.sql(f"EXPLAIN SKIPPING {query}").collect()
        assert 0 < row["files_read"] <= most, query


@pytest.mark.statement
def test_merge(spark: SparkSession) -> None:
    name = create_points(spark, "merged_points")
    spark.sql(
        f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (target_file_size = '{bytes_per_file(spark, name)}')"
    ).collect()
    spark.sql(
        f"MERGE INTO {name} t USING (SELECT CAST(id AS INT) AS k FROM range(60, 70)) s ON t.x = s.k AND t.y < 3 "
        "WHEN MATCHED THEN UPDATE SET name = 'merged' WHEN NOT MATCHED THEN INSERT (x, y, id) VALUES (s.k, -1, -1)"
    ).collect()
    counts = spark.sql(
        f"SELECT count(*), count_if(name = 'merged'), count_if(id = -1), sum(IF(id >= 0, id, 0)) FROM {name}"
    ).collect()[0]
    assert tuple(counts) == (4096 + 6, 4 * 3, 6, 4095 * 4096 // 2)
    spark.sql(f"DROP TABLE {name}")
