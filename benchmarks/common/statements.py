# SPDX-License-Identifier: Apache-2.0

"""Statements on Delta tables that several benchmarks run: OPTIMIZE by ours or by Delta, and a MERGE that is undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TAKEOVER = "spark.sql.zorder.delta.takeover"
_MOST = "spark.databricks.delta.optimize.maxFileSize"


def optimize(spark: SparkSession, table: str, what: str, size: int, *, ours: bool) -> None:
    """Rewrites a Delta table into files of one size, as far as the system obeys.

    Args:
        spark: a session with Delta and the extension.
        table: its name in SQL.
        what: follows it: `ZORDER BY (...)`, or `FULL`.
        size: of a file, in bytes.
        ours: whether this extension does it, not Delta.
    """
    spark.conf.set(_TAKEOVER, str(ours).lower())
    # Of Delta's own, which takes its size from there alone.
    spark.conf.set(_MOST, str(size))
    more = f" OPTIONS (target_file_size = '{size}')" if ours else ""
    spark.sql(f"OPTIMIZE {table} {what}{more}").collect()
    spark.conf.unset(_TAKEOVER)
    spark.conf.unset(_MOST)


def merge_and_restore(spark: SparkSession, table: str, merge: str) -> dict[str, int]:
    """Runs a MERGE into a Delta table, which is then as it was.

    Returns:
        What Delta's history has of it, by the names of its operation metrics.
    """
    spark.sql(merge).collect()
    last = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").head()
    spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {last['version'] - 1}").collect()
    return {name: int(value) for name, value in last["operationMetrics"].items()}
