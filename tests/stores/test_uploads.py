# SPDX-License-Identifier: Apache-2.0

"""Files of an OPTIMIZE are uploaded to their places: killed drivers, stores without what that needs, what is left."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from statements import rows_from
from store import Store
from store_tables import ROWS, create, digest, kill_at, optimize
from store_victim import StoreVictim

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# The request at which a driver dies, for each of the tables that it rewrites.
DEATHS = {
    "writing": r"PUT /bucket/writing/part-00002-[^?]*\?partNumber=",
    "entry": r"PUT /bucket/entry/_zorder/log/\d+\.[^?]*\.json",
    "completing": r"POST /bucket/completing/part-00002-[^?]*\?uploadId=",
    "verdict": r"PUT /bucket/verdict/_zorder/log/\d+\.[^?]*\.verdict",
}


def test_a_new_file_takes_four_requests_and_no_copy(spark: SparkSession, store: Store) -> None:
    create(spark, "s3a://bucket/counted")
    before = set(store.data_files("counted"))

    with store.requests() as made:
        spark.sql(optimize("s3a://bucket/counted")).collect()

    new = set(store.data_files("counted")) - before
    assert len(new) > 5
    of_new = Counter(r["method"] for r in made if any(name in r["path"] for name in new))
    # Each second, before a further old file is deleted, all new ones are looked for: more often on a slow machine.
    assert of_new.pop("HEAD", 0) % len(new) == 0
    assert of_new == {"POST": 2 * len(new), "PUT": 2 * len(new)}
    assert made.by_kind()["COPY"] == 0
    assert store.left_behind("counted") == []


def test_rows_are_the_same_whenever_the_driver_dies(spark: SparkSession, store: Store, tmp_path: Path) -> None:
    for table in DEATHS:
        create(spark, f"s3a://bucket/{table}")
    rows = store.rows_of("entry")
    before = digest(spark, "s3a://bucket/entry")
    kill_at(store, tmp_path / "victim", "s3a://bucket", DEATHS)

    for table in DEATHS:
        folder = f"s3a://bucket/{table}"
        # Those of the last are completed.
        assert (store.uploads(table) == []) == (table == "verdict")
        assert digest(spark, folder) == before
        spark.sql(optimize(folder)).collect()
        assert store.rows_of(table) == rows
        assert store.left_behind(table) == []


def test_uploads_that_are_left_are_aborted_by_who_can_make_none(
    spark: SparkSession, store: Store, tmp_path: Path
) -> None:
    create(spark, "s3a://bucket/left")
    kill_at(store, tmp_path / "victim", "s3a://bucket", {"left": DEATHS["writing"].replace("/writing/", "/left/")})
    assert store.uploads("left") != []
    without = {"fs.s3a.impl.disable.cache": "true", "fs.s3a.create.conditional.enabled": "false"}
    for key, value in without.items():
        spark.conf.set(key, value)
    try:
        spark.sql("ANALYZE TABLE parquet.`s3a://bucket/left` COMPUTE FILE STATISTICS").collect()
    finally:
        for key in without:
            spark.conf.unset(key)
    assert store.left_behind("left") == []


def test_two_drivers_at_once_and_a_writer_lose_no_row(spark: SparkSession, store: Store, tmp_path: Path) -> None:
    folder = "s3a://bucket/shared"
    create(spark, folder)
    # Of one driver, too, two run at once.
    drivers = [StoreVictim(tmp_path / name, [optimize(folder)] * 2, store) for name in ("one", "other")]
    for driver in drivers:
        driver.ready()
    for driver in drivers:
        driver.go()
    appended = 0
    while appended < 3 or not all(driver.finished() for driver in drivers):
        spark.sql(rows_from(ROWS + appended * 100, 100, 1)).write.mode("append").parquet(folder)
        appended += 1

    assert [driver.outcome() for driver in drivers] == [None, None]
    spark.sql(optimize(folder)).collect()
    assert [row[0] for row in store.rows_of("shared")] == list(range(ROWS + appended * 100))
    assert store.left_behind("shared") == []


# S3A's committers abort all uploads below the folder that an INSERT writes to. The statement then stages its files.
@pytest.mark.parametrize("moment", ["writing", "entry"])
def test_a_statement_whose_uploads_others_abort_succeeds(spark: SparkSession, store: Store, moment: str) -> None:
    table = f"aborted-{moment}"
    create(spark, f"s3a://bucket/{table}")
    rows, before = store.rows_of(table), set(store.data_files(table))
    request = DEATHS[moment].replace(f"bucket/{moment}/", f"bucket/{table}/")
    with ThreadPoolExecutor(1) as other:
        with store.holding(request):
            running = other.submit(lambda: spark.sql(optimize(f"s3a://bucket/{table}")).collect())
            store.wait_until_held([request])
            assert store.abort_uploads(table) > 0
        (row,) = running.result()

    assert row["metrics"]["numFilesRemoved"] == len(before)
    assert store.rows_of(table) == rows
    assert before.isdisjoint(store.data_files(table))
    # A task that was stopped between the start of an upload and its record may leave one, without a part.
    assert set(store.left_behind(table)) <= set(store.uploads(table))


# Hadoop takes such a name for a URI where it is a path of its own.
def test_others_may_give_files_names_with_a_colon(spark: SparkSession, store: Store) -> None:
    create(spark, "s3a://bucket/colon")
    rows = store.rows_of("colon")
    name = store.data_files("colon")[0]
    files = store.files()
    files.copy_file(f"bucket/colon/{name}", "bucket/colon/_2024-01-01T00:00:00")

    spark.sql(optimize("s3a://bucket/colon")).collect()

    assert store.rows_of("colon") == rows
    assert store.left_behind("colon") == []


@pytest.mark.parametrize("fault", ["no-conditions", "ignores-conditions"])
def test_a_store_without_conditional_writes_is_refused(spark: SparkSession, tmp_path: Path, fault: str) -> None:
    other = Store(tmp_path, fault)
    try:
        other.make_bucket(fault)
        spark.conf.set(f"fs.s3a.bucket.{fault}.endpoint", other.url)
        create(spark, f"s3a://{fault}/t")
        before = digest(spark, f"s3a://{fault}/t")

        with other.requests() as made, pytest.raises(PySparkException) as refused:
            spark.sql(optimize(f"s3a://{fault}/t")).collect()

        assert refused.value.getCondition() == "ZORDER_NO_CONDITIONAL_WRITES"
        assert [r for r in made if r["method"] in ("PUT", "POST", "DELETE") and "/part-" in r["path"]] == []
        # Statistics need no log.
        spark.sql(f"ANALYZE TABLE parquet.`s3a://{fault}/t` COMPUTE FILE STATISTICS").collect()
        assert digest(spark, f"s3a://{fault}/t") == before
    finally:
        other.end()


def test_files_are_staged_where_uploads_are_switched_off(spark: SparkSession, store: Store) -> None:
    store.make_bucket("copies")
    spark.conf.set("fs.s3a.bucket.copies.multipart.uploads.enabled", "false")
    create(spark, "s3a://copies/t")
    before = digest(spark, "s3a://copies/t")

    with store.requests() as made:
        spark.sql(optimize("s3a://copies/t")).collect()

    assert [r for r in made if "uploads" in r["query"]] == []
    assert made.by_kind()["COPY"] > 0
    assert digest(spark, "s3a://copies/t") == before


def test_new_files_of_partitions_come_to_the_folders_of_the_old_ones(spark: SparkSession, store: Store) -> None:
    folder = "s3a://bucket/partitioned"
    columns = ["id", "CAST(id * 7919 % 1000 AS INT) AS a", "id * 104729 % 5000 AS b", "CAST(id AS STRING) AS c"]
    rows = spark.range(0, ROWS, 1, 2).selectExpr(*columns, "concat('0', id % 3) AS p", "id % 2 = 0 AS q")
    rows.write.partitionBy("p", "q").parquet(folder)
    before = digest(spark, folder)
    spark.conf.set("spark.sql.zorder.optimize.encoder", "false")
    try:
        with store.requests() as made:
            spark.sql(optimize(folder)).collect()
    finally:
        spark.conf.unset("spark.sql.zorder.optimize.encoder")

    assert made.by_kind()["COPY"] == 0
    assert digest(spark, folder) == before
    folders = {key.rpartition("/")[0] for key in store.keys("partitioned") if not key.startswith("_")}
    assert folders - {""} == {f"p=0{p}/q={q}" for p in range(3) for q in ("false", "true")}
    assert store.left_behind("partitioned") == []
    counts = {f["p"]: f["count"] for f in spark.read.parquet(folder).groupBy("p").count().collect()}
    assert sum(counts.values()) == ROWS
    assert len(counts) == 3
