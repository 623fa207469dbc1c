# SPDX-License-Identifier: Apache-2.0

"""What figures ask of a table, and old versions of Delta tables, which Delta names by a folder and `@v`.

`ZOrderTable` is the one such table. It shows figures itself, so these know it by what it can do, not by its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pyspark.errors import PySparkException

from spark_zorder import _sql
from spark_zorder.errors import ZOrderValueError, wrong_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self, TypeIs


class DescribedTable(Protocol):
    """A table whose layout statements describe."""

    _spark: SparkSession

    @classmethod
    def forPath(cls, spark: SparkSession, path: str, format: str | None = None) -> Self:  # noqa: A002
        """Returns the table in a folder."""

    @property
    def name(self) -> str:
        """The table's name in statements, quoted."""

    def _name_for_spark(self) -> str:
        """The table's name in Spark's own statements."""

    def toDF(self) -> DataFrame:
        """Returns the table's rows."""

    def describeLayout(self, *cols: str, extended: bool = False) -> DataFrame:
        """Returns the statement's rows."""

    def layout(self, *cols: str) -> DataFrame:
        """Returns how well files are clustered on columns."""


def is_table(source: object) -> TypeIs[DescribedTable]:
    """Whether this is a table. Asked of the class: a DataFrame of Spark Connect may take any name for a column."""
    return hasattr(type(source), "describeLayout")


def title_of(table: DescribedTable) -> str:
    """What titles call a table: its name without quotes; one that is a path as any statement can take it."""
    name = table._name_for_spark()
    return name if name.startswith(("delta.`", "parquet.`")) else name.replace("`", "")


def table_at(table: object, version: int) -> DescribedTable:
    """Returns a Delta table as it was at a version.

    Raises:
        ZOrderTypeError: the version is no int, or this is no table.
        ZOrderValueError: the table has no versions (`ZORDER_NO_VERSIONS`).
        AnalysisException: the table does not exist.
    """
    if not isinstance(version, int) or isinstance(version, bool):
        raise wrong_type("version", "an int", version)
    if not is_table(table):
        raise wrong_type("table with a version", "a ZOrderTable", table)
    try:
        rows = table._spark.sql(_sql.describe_detail(table._name_for_spark())).collect()
    except PySparkException as error:
        raise _no_versions(table) from error
    if not rows or rows[0]["format"] != "delta":
        raise _no_versions(table)
    return type(table).forPath(table._spark, f"{rows[0]['location']}@v{version}", "delta")


def _no_versions(table: DescribedTable) -> ZOrderValueError:
    """Returns the error of a table without versions; one that is not there fails with Spark's own."""
    _ = table.toDF().schema
    return ZOrderValueError("ZORDER_NO_VERSIONS", table=table.name)
