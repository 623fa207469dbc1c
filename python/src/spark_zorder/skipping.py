# SPDX-License-Identifier: Apache-2.0

"""How much of its tables a query reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_zorder import _sql
from spark_zorder._result import readable
from spark_zorder.errors import wrong_type
from spark_zorder.session import require_extension

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def explain_skipping(spark: SparkSession, query: str, args: dict[str, Any] | list[Any] | None = None) -> DataFrame:
    """Returns how many files, row groups, pages and bytes a query reads, one row per scan; does not run it.

    Args:
        spark: the session, classic or Connect.
        query: a query in SQL.
        args: values of its parameters, as `SparkSession.sql` takes them: by name (`:x`) or in order (`?`).

    Raises:
        ZOrderTypeError: the query is not a string, or `spark` is no session.
        ZOrderSessionError: the session runs without the extension; the text says how to restart it.
        AnalysisException: the query names what does not exist, or is none (`ZORDER_NOT_A_QUERY`).

    Example:
        >>> rows = explain_skipping(spark, "SELECT * FROM flights WHERE month = :m", {"m": 6})  # doctest: +SKIP
        >>> rows.select("table", "files_total", "files_read").show()  # doctest: +SKIP
    """
    if not isinstance(query, str):
        raise wrong_type("A query", "a string", query)
    require_extension(spark)
    statement = _sql.explain_skipping(query)
    return readable(spark.sql(statement) if args is None else spark.sql(statement, args))
