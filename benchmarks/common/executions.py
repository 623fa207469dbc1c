# SPDX-License-Identifier: Apache-2.0

"""What statements that run queries of their own have scanned, from Spark's store of the metrics that its UI shows."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_SIZE = re.compile(r"([\d.,]+) ([KMGT]?i?B)")


class Scanned(NamedTuple):
    """Files that a scan read, and their bytes, of which the store keeps two digits and more."""

    files: int
    size: int


@contextmanager
def files_scanned(spark: SparkSession, folder: str) -> Iterator[list[Scanned]]:
    """Gets the scans of a folder, in their order, when its block has ended; only scans that have read files.

    Args:
        spark: runs nothing else.
        folder: the folder's name.
    """
    found: list[Scanned] = []
    before = _executions(spark)
    yield found
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]
    store = _store(spark)
    for number in sorted(_executions(spark) - before):
        values = store.executionMetrics(number)
        nodes = store.planGraph(number).allNodes()
        for i in range(nodes.size()):
            node = nodes.apply(i)
            # The table itself, not its log.
            if node.name().startswith("Scan parquet") and f"/{folder}]" in node.desc():
                metrics = _values(node.metrics(), values)
                if "number of files read" in metrics:
                    files = int(metrics["number of files read"].replace(",", ""))
                    found.append(Scanned(files, size(metrics.get("size of files read", "0.0 B"))))


def size(shown: str) -> int:
    """The bytes of a size as Spark shows it.

    Example:
        >>> size("1.5 KiB")
        1536
    """
    match = _SIZE.search(shown)
    return round(float(match[1].replace(",", "")) * _UNITS[match[2]]) if match else 0


def _executions(spark: SparkSession) -> set[int]:
    listed = _store(spark).executionsList()
    return {listed.apply(i).executionId() for i in range(listed.size())}


def _store(spark: SparkSession) -> Any:  # noqa: ANN401 - an object of the JVM
    return spark._jsparkSession.sharedState().statusStore()


def _values(metrics: Any, values: Any) -> dict[str, str]:  # noqa: ANN401
    listed = [metrics.apply(i) for i in range(metrics.size())]
    return {m.name(): values.apply(m.accumulatorId()) for m in listed if values.contains(m.accumulatorId())}
