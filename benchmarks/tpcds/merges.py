# SPDX-License-Identifier: Apache-2.0

"""MERGE of 1,000 and 100,000 keys into store_sales: which rows they are of, what is searched, and what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from common.executions import files_scanned
from common.statements import merge_and_restore
from tpcds.layouts import LAYOUTS, LOADED, database
from tpcds.measure import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

_TARGET = "store_sales"
_KEYS = ("ss_sold_date_sk", "ss_item_sk", "ss_ticket_number")
DAY = "one day's"
# What the rows are of, as a filter of the rows with a date, and their order before the first are taken.
ROWS = {
    "random": ("TRUE", "hash(ss_ticket_number, ss_item_sk)"),
    # Of the days with a date from the first of November 2000 on, as many as have so many rows.
    DAY: ("ss_sold_date_sk >= 2451850", "ss_sold_date_sk, ss_ticket_number"),
    "one region's": (
        "ss_addr_sk IN (SELECT ca_address_sk FROM customer_address WHERE ca_state IN ('TX', 'OK', 'LA', 'AR'))",
        "hash(ss_ticket_number, ss_item_sk)",
    ),
}


class Source(NamedTuple):
    """The keys of a MERGE."""

    kind: str
    keys: int

    @property
    def name(self) -> str:
        """Of its table."""
        return f"default.keys_{list(ROWS).index(self.kind)}_{self.keys}"

    @property
    def query(self) -> str:
        """For its rows."""
        condition, order = ROWS[self.kind]
        return (
            f"SELECT {', '.join(_KEYS)} FROM {_TARGET} WHERE ss_sold_date_sk IS NOT NULL AND {condition}"
            f" ORDER BY {order} LIMIT {self.keys}"
        )

    @property
    def merge(self) -> str:
        """The statement."""
        condition = " AND ".join(f"t.{key} = s.{key}" for key in _KEYS)
        return (
            f"MERGE INTO {_TARGET} AS t USING {self.name} AS s ON {condition}"
            " WHEN MATCHED THEN UPDATE SET ss_quantity = t.ss_quantity + 1"
        )


def sources(few: int, many: int, kinds: Sequence[str]) -> list[Source]:
    """Of each of these kinds of `ROWS` a few keys and many."""
    return [Source(kind, keys) for keys in (few, many) for kind in kinds]


def measured(spark: SparkSession, asked: list[Source], *, vectors: bool) -> list[dict[str, Any]]:
    """Each MERGE into each layout, which is then as it was; the first ones of a system are not counted.

    Args:
        spark: the session.
        asked: of the rows of each MERGE.
        vectors: whether the tables have deletion vectors, so that a MERGE writes the rows alone that it changes.
    """
    for layout in LAYOUTS:
        spark.sql(
            f"ALTER TABLE {database(layout)}.{_TARGET}"
            f" SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{str(vectors).lower()}')"
        )
    spark.catalog.setCurrentDatabase(database(LOADED))
    for source in asked:
        spark.sql(f"DROP TABLE IF EXISTS {source.name}")
        spark.sql(f"CREATE TABLE {source.name} USING parquet AS {source.query}")
    found = []
    # The first of each kind of rows come before those that count.
    unmeasured = len({source.kind for source in asked})
    for number, source in enumerate(asked[:unmeasured] + asked):
        for system in SYSTEMS:
            system.use(spark)
            done = {"kind": source.kind, "keys": source.keys, "system": system.name} | _merged(spark, source)
            if number >= unmeasured:
                found.append(done)
    return found


def _merged(spark: SparkSession, source: Source) -> dict[str, Any]:
    with files_scanned(spark, _TARGET) as scanned:
        done = merge_and_restore(spark, _TARGET, source.merge)
    return {
        "seconds": done["executionTimeMs"] / 1000,
        "search": done["scanTimeMs"] / 1000,
        "updated": done["numTargetRowsUpdated"],
        # A file that gets a deletion vector stays.
        "rewritten": done["numTargetFilesRemoved"] or done.get("numTargetDeletionVectorsAdded", 0),
        "rewritten_bytes": done["numTargetBytesRemoved"],
        # The first scan of the target is the search; another one reads the files to rewrite.
        "searched": scanned[0].files if scanned else 0,
        "searched_bytes": scanned[0].size if scanned else 0,
    }
