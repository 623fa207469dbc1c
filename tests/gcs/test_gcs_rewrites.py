# SPDX-License-Identifier: Apache-2.0

"""Rewrites in Google Cloud Storage: exclusive creation, killed drivers, stores that do not compare generations."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from gcs_store import GcsStore
from pyspark.errors import PySparkException
from statements import rows_from
from store_tables import ROWS, create, digest, kill_at, optimize
from store_victim import StoreVictim

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# The request at which a driver dies, for each of the tables that it rewrites.
DEATHS = {
    "writing": r"^(START|UPLOAD) writing/_zorder/staging/.*part-00002-",
    "entry": r"^(START|UPLOAD) entry/_zorder/log/\d+\.[^.]*\.json",
    "moving": r"^MOVE moving/part-00002-",
    "verdict": r"^(START|UPLOAD) verdict/_zorder/log/\d+\.[^.]*\.[^.]*\.verdict",
}


def test_of_two_streams_for_a_new_file_one_creates_it(spark: SparkSession, store: GcsStore) -> None:
    jvm = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path("gs://bucket/exclusive")
    files = path.getFileSystem(spark._jsc.hadoopConfiguration())
    first, second = (files.create(path, False) for _ in range(2))
    first.write(bytearray(b"first"))
    second.write(bytearray(b"second"))

    second.close()
    with pytest.raises(Exception, match="412 Precondition Failed"):
        first.close()

    assert store.content("exclusive") == b"second"


def test_of_two_drivers_that_claim_a_log_entry_one_has_it(spark: SparkSession, store: GcsStore, tmp_path: Path) -> None:
    create(spark, "gs://bucket/claimed")
    rows = store.rows_of("claimed")
    entries = r"^UPLOAD claimed/_zorder/log/\d+\.[^.]*\.json"
    other = StoreVictim(tmp_path / "other", [optimize("gs://bucket/claimed")], store)
    other.ready()
    with ThreadPoolExecutor(1) as threads, store.requests() as made:
        with store.delaying(entries):
            other.go()
            store.wait_for_held(1)
            # As where it was taken for dead.
            for key in store.keys("claimed"):
                if key.startswith("_zorder/locks/"):
                    store.delete(f"claimed/{key}")
            ours = threads.submit(lambda: spark.sql(optimize("gs://bucket/claimed")).collect())
            store.wait_for_held(2)
        outcomes = [ours.exception(), other.outcome()]

    print(outcomes)
    claims = [(r["object"], r["status"]) for r in made if re.search(entries, f"{r['kind']} {r['object']}")]
    first = [status for name, status in claims if name == claims[0][0]]
    assert sorted(first) == [200, 412]
    assert store.rows_of("claimed") == rows
    spark.sql(optimize("gs://bucket/claimed")).collect()
    assert store.rows_of("claimed") == rows
    assert store.left_behind("claimed") == []


def test_rows_are_the_same_whenever_the_driver_dies(spark: SparkSession, store: GcsStore, tmp_path: Path) -> None:
    for table in DEATHS:
        create(spark, f"gs://bucket/{table}")
    rows = store.rows_of("entry")
    before = digest(spark, "gs://bucket/entry")
    kill_at(store, tmp_path / "victim", "gs://bucket", DEATHS)

    for table in DEATHS:
        folder = f"gs://bucket/{table}"
        assert digest(spark, folder) == before
        spark.sql(optimize(folder)).collect()
        assert store.rows_of(table) == rows
        assert store.left_behind(table) == []


def test_two_drivers_at_once_and_a_writer_lose_no_row(spark: SparkSession, store: GcsStore, tmp_path: Path) -> None:
    folder = "gs://bucket/shared"
    create(spark, folder)
    other = StoreVictim(tmp_path / "other", [optimize(folder)], store)
    other.ready()
    other.go()
    appended = 0
    with ThreadPoolExecutor(1) as threads:
        ours = threads.submit(lambda: spark.sql(optimize(folder)).collect())
        while appended < 3 or not (other.finished() and ours.done()):
            spark.sql(rows_from(ROWS + appended * 100, 100, 1)).write.mode("append").parquet(folder)
            appended += 1

    assert [other.outcome(), ours.exception()] == [None, None]
    spark.sql(optimize(folder)).collect()
    assert [row[0] for row in store.rows_of("shared")] == list(range(ROWS + appended * 100))
    assert store.left_behind("shared") == []


def test_a_store_that_compares_no_generations_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    other = GcsStore(tmp_path, "ignores-conditions")
    session = spark.newSession()
    try:
        session.conf.set("fs.gs.storage.root.url", other.url)
        session.conf.set("fs.gs.impl.disable.cache", "true")
        create(session, "gs://bucket/t")
        before = digest(session, "gs://bucket/t")

        with other.requests() as made, pytest.raises(PySparkException) as refused:
            session.sql(optimize("gs://bucket/t")).collect()

        assert refused.value.getCondition() == "ZORDER_NO_CONDITIONAL_WRITES"
        assert [r for r in made if r["kind"] not in ("GET", "LIST", "READ") and "/part-" in r["object"]] == []
        # Statistics need no log.
        session.sql("ANALYZE TABLE parquet.`gs://bucket/t` COMPUTE FILE STATISTICS").collect()
        assert digest(session, "gs://bucket/t") == before
        assert other.left_behind("t") == []
    finally:
        other.end()
