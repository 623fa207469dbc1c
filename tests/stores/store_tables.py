# SPDX-License-Identifier: Apache-2.0

"""Tables in an object store, statements on them, and what must hold, whichever the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from statements import ROWS as ROWS_OF_STATEMENTS
from statements import expected_rows, name_of, rows_from
from store_victim import StoreVictim

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import Row, SparkSession
    from store import ObjectStore

ROWS, FILES = 20_000, 6


def create(spark: SparkSession, folder: str) -> None:
    spark.sql(rows_from(0, ROWS, FILES)).write.parquet(folder)


def optimize(folder: str) -> str:
    return f"OPTIMIZE parquet.`{folder}` ZORDER BY (a, b) OPTIONS (target_file_size = '32k')"


def digest(spark: SparkSession, folder: str) -> list[object]:
    return list(spark.read.parquet(folder).selectExpr("count(*)", "sum(id)", "sum(hash(id, a, b, c))").head() or [])


def kill_at(store: ObjectStore, folder: Path, bucket: str, deaths: Mapping[str, str]) -> None:
    """Has a driver rewrite tables of the bucket, and kills it when each is at the request that is named for it."""
    victim = StoreVictim(folder, [optimize(f"{bucket}/{table}") for table in deaths], store)
    victim.ready()
    with store.holding(*deaths.values()):
        victim.go()
        store.wait_until_held(list(deaths.values()))
        # Other tasks of the first table come to their ends.
        time.sleep(3)
        victim.kill()


def check_answers(store: ObjectStore, place: str, table_format: str, answers: Mapping[str, list[Row]]) -> None:
    """What all `statements` in a folder of the bucket have answered, the rows, and that nothing is left behind."""
    (row,) = answers["full"]
    assert row["metrics"]["numFilesAdded"] == 8
    assert [round(gain["point_read_share_after"], 2) for gain in row["layout"]] == [0.25, 0.5]
    (row,) = answers["explain"]
    assert row["files_read"] == row["files_total"] / 4
    (row,) = answers["query"]
    expected = [i for i, a, _, _ in expected_rows() if 100 <= a <= 120 and i < ROWS_OF_STATEMENTS + 4000]
    assert (row["n"], row["ids"]) == (len(expected), sum(expected))
    table = f"{place}/{name_of(table_format)}"
    assert store.rows_of(table) == expected_rows()
    assert store.left_behind(table) == []
