# SPDX-License-Identifier: Apache-2.0

"""A session of the same JVM that has a Parquet table's files in its cache while another rewrites them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from test_parquet import EVENTS, OPTIONS, rows_of, skipped, written

from spark_zorder import ZOrderTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.long
def test_another_session_that_knows_the_old_files(spark: SparkSession, tmp_path: Path) -> None:
    path = written(spark, tmp_path / "t")
    spark.sql("DROP TABLE IF EXISTS seen_twice")
    spark.sql(f"CREATE TABLE seen_twice (a INT, B INT, id BIGINT, p INT) USING parquet LOCATION '{path}'")
    other = spark.newSession()
    by_name, by_path = "SELECT * FROM seen_twice WHERE a < 500", f"SELECT * FROM parquet.`{path}` WHERE a < 500"
    # It keeps the table's files in its cache from here on.
    before = Counter(other.sql(by_name).collect())
    opened = other.sql(by_path)

    ZOrderTable.forName(spark, "seen_twice").optimize(OPTIONS).executeZOrderBy("a", "B").collect()

    assert Counter(other.sql(by_name).collect()) == before
    assert Counter(opened.collect()) == Counter(other.sql(by_path).collect()) == before
    read, total = skipped(other, "seen_twice", "a = 7 AND B < 500")
    assert read * 2 <= total

    # Two rewrites later, and with rows that the first session has not seen.
    other.sql(EVENTS.format(first=2000, end=2100)).write.mode("append").parquet(str(path))
    table = ZOrderTable.forPath(other, path, format="parquet")
    for columns in (["B"], ["a", "id"]):
        table.optimize(OPTIONS).executeZOrderBy(columns).collect()
    assert sum(rows_of(spark.table("seen_twice")).values()) == 2100
    spark.sql("DROP TABLE seen_twice")
