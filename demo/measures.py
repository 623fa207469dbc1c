# SPDX-License-Identifier: Apache-2.0

"""What the demo measures of a table: its files, its layout, and what queries read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scans import run_counting_files
from spark_zorder import ZOrderTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Row, SparkSession

UNSORTED = "time_hour"


@dataclass(frozen=True)
class Query:
    """A question with the predicate that answers it."""

    title: str
    predicate: str


QUERIES = (
    Query(
        "Flights to the San Francisco Bay area",
        "dest_lat BETWEEN 37.2 AND 37.9 AND dest_lon BETWEEN -122.6 AND -121.7",
    ),
    Query(
        "Flights to Florida that left more than three hours late",
        "dest_lat < 30.6 AND dest_lon BETWEEN -87.6 AND -80.0 AND dep_delay > 180",
    ),
    Query(
        "Flights to Chicago O'Hare that left exactly one hour late",
        "dest_lat = 41.978603 AND dest_lon = -87.904842 AND dep_delay = 60",
    ),
)


@dataclass(frozen=True)
class Table:
    """A table by its name in SQL, and what the demo calls its state."""

    name: str
    label: str


@dataclass(frozen=True)
class Answer:
    """What a query gave, and how many of the table's files its scan read."""

    row: Row
    files_read: int


@dataclass(frozen=True)
class Measures:
    """A table's figures; shares by column, answers in the order of QUERIES."""

    label: str
    rows: int
    files: int
    bytes: int
    shares: dict[str, float]
    answers: list[Answer]


def measured(spark: SparkSession, table: Table, columns: Sequence[str]) -> Measures:
    """Takes all figures of a table in its present state."""
    detail = spark.sql(f"DESCRIBE DETAIL {table.name}").collect()[0]
    layout = ZOrderTable.forName(spark, table.name).layout(*columns, UNSORTED, allRows=True).collect()
    shares = {row["column"]: row["point_read_share"] for row in layout}
    answers = [_answer(spark, table, query) for query in QUERIES]
    return Measures(table.label, layout[0]["rows"], detail["numFiles"], detail["sizeInBytes"], shares, answers)


def same_rows(spark: SparkSession, one: str, other: str) -> bool:
    """Whether two tables hold the same rows, each as often."""
    columns = ", ".join(spark.table(one).columns)
    both = f"SELECT *, 1 AS side FROM {one} UNION ALL SELECT *, -1 AS side FROM {other}"
    differing = f"SELECT 1 FROM ({both}) GROUP BY {columns} HAVING sum(side) <> 0"
    return spark.sql(differing).isEmpty()


def _answer(spark: SparkSession, table: Table, query: Query) -> Answer:
    sql = f"SELECT count(*) AS flights, avg(dep_delay) AS delay FROM {table.name} WHERE {query.predicate}"
    rows, files = run_counting_files(spark, sql, f"{table.label}: {query.title}")
    return Answer(rows[0], files)
