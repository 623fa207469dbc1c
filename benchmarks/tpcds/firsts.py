# SPDX-License-Identifier: Apache-2.0

"""Files that the first rows of store_sales in some order take, with its table clustered by two columns or by one."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from tpcds.layouts import BY_ONE, LAYOUTS, OURS
from tpcds.measure import SYSTEMS, System, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LIMIT = 600.0
ALONE = "the last 10 tickets, clustered by these alone"
# What is taken, from which table, in which order, and the columns that tell whether answers are the same.
_ASKED = {
    ALONE: (BY_ONE, "ss_ticket_number DESC", "ss_ticket_number"),
    "the last 10 dates": ("store_sales", "ss_sold_date_sk DESC", "ss_sold_date_sk"),
    "the first 10 items": ("store_sales", "ss_item_sk", "ss_item_sk"),
    "the last 10 tickets": ("store_sales", "ss_ticket_number DESC", "ss_ticket_number"),
}


def measured(spark: SparkSession, rounds: int) -> list[dict[str, Any]]:
    """Files and seconds of each on each layout that has its table."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number in range(-1, rounds):
        for asked, (table, order, shown) in _ASKED.items():
            for system in _systems(table):
                system.use(spark)
                once = run(spark, f"SELECT {shown} FROM {table} ORDER BY {order} LIMIT 10", _LIMIT, [table])
                if number >= 0:
                    found.setdefault((asked, system.name), []).append(once)
    return [
        {"asked": asked, "system": name, "answer": runs[-1]["answer"], "files": _files(runs[-1])}
        | {"seconds": median(run["seconds"] for run in runs)}
        for (asked, name), runs in found.items()
    ]


def _systems(table: str) -> tuple[System, ...]:
    return (System(LAYOUTS[OURS], OURS, prunes=True),) if table == BY_ONE else SYSTEMS


def _files(once: dict[str, Any]) -> int:
    return sum(int(read["files"]) for read in once["read"].values())
