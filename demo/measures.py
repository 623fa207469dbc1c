"""What the demo measures of a table: its files, its layout, and what queries read of it."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    layout = spark.sql(f"DESCRIBE LAYOUT {table.name} ON ({', '.join([*columns, UNSORTED])})").collect()
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
    tag = f"{table.label}: {query.title}"
    spark.sparkContext.setJobDescription(tag)
    try:
        sql = f"SELECT count(*) AS flights, avg(dep_delay) AS delay FROM {table.name} WHERE {query.predicate}"
        row = spark.sql(sql).collect()[0]
    finally:
        spark.sparkContext.setJobDescription(None)
    return Answer(row, _files_read(spark, tag))


def _files_read(spark: SparkSession, tag: str, patience: float = 30.0) -> int:
    """The scan's own metric, from Spark's status API; it lags a little behind the query, so it is asked until then."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        counts = [
            int(metric["value"].replace(",", ""))
            for execution in _finished_executions(spark, tag)
            for node in execution["nodes"]
            if node["nodeName"].startswith("Scan parquet")
            for metric in node["metrics"]
            if metric["name"] == "number of files read"
        ]
        if counts:
            (count,) = counts
            return count
        time.sleep(0.05)
    raise TimeoutError(f"Spark's status API has no finished scan for: {tag}")


def _finished_executions(spark: SparkSession, tag: str) -> list[dict[str, Any]]:
    context = spark.sparkContext
    options = urllib.parse.urlencode({"details": "true", "planDescription": "false", "length": 10_000})
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/sql?{options}"
    with urllib.request.urlopen(url) as response:  # noqa: S310 - the session's own address
        executions = json.load(response)
    return [e for e in executions if e["description"] == tag and e["status"] == "COMPLETED"]
