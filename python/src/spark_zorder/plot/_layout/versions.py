# SPDX-License-Identifier: Apache-2.0

"""Old versions of Delta tables, which Delta names by a folder and `@v`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from spark_zorder import _sql
from spark_zorder.errors import ZOrderValueError, wrong_type

if TYPE_CHECKING:
    from spark_zorder.plot._layout.source import Source
    from spark_zorder.table import ZOrderTable


def table_at(table: Source, version: int) -> ZOrderTable:
    """Returns a Delta table as it was at a version.

    Raises:
        ZOrderTypeError: the version is no int, or this is no table.
        ZOrderValueError: the table has no versions (`ZORDER_NO_VERSIONS`).
        AnalysisException: the table does not exist.
    """
    from spark_zorder.table import ZOrderTable

    if not isinstance(version, int) or isinstance(version, bool):
        raise wrong_type("version", "an int", version)
    if not isinstance(table, ZOrderTable):
        raise wrong_type("table with a version", "a ZOrderTable", table)
    try:
        rows = table._spark.sql(_sql.describe_detail(table._name_for_spark())).collect()
    except PySparkException as error:
        raise _no_versions(table) from error
    if not rows or rows[0]["format"] != "delta":
        raise _no_versions(table)
    return ZOrderTable.forPath(table._spark, f"{rows[0]['location']}@v{version}", "delta")


def _no_versions(table: ZOrderTable) -> ZOrderValueError:
    """Returns the error of a table without versions; one that is not there fails with Spark's own."""
    _ = table.toDF().schema
    return ZOrderValueError("ZORDER_NO_VERSIONS", table=table.name)
