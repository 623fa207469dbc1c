# SPDX-License-Identifier: Apache-2.0

"""The card that notebooks show of a table, from metadata alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_zorder import _sql
from spark_zorder._html import ESTIMATED, card_html
from spark_zorder._layout.source import snapshot
from spark_zorder._numbers import size_text
from spark_zorder._quoting import quote_identifier, quote_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from spark_zorder._layout.tables import DescribedTable

# Of more files the ranges are not looked up for a card: that takes seconds.
_MOST_FILES = 200
_FILES_ARE_KNOWN = ("delta", "parquet")
# What the planner takes for the size of a source that does not tell one.
_UNKNOWN_SIZE = "8.0 EiB"
_SIZE = re.compile(r"Statistics\(sizeInBytes=([\d.,]+(?:E\+?\d+)? \w+)")


def card_of_table(spark: SparkSession, table: DescribedTable, sql_name: str, table_format: str | None) -> str | None:
    """Returns the card of a table as HTML, without what cannot be found out; None if nothing can, as of no table.

    Args:
        spark: the session.
        table: the table.
        sql_name: its name for Spark's own statements.
        table_format: `delta` or `parquet` where the name says so, else None.
    """
    facts: dict[str, str] = {}
    described = _described(spark, sql_name) if table_format is None else {}
    found_format = table_format or described.get("Provider", "")
    if found_format:
        facts["format"] = found_format
    detail = _detail(spark, sql_name, found_format)
    files = _file_count(table, found_format, detail)
    if files is not None:
        facts["files"] = f"{files:,}"
    size = detail.get("sizeInBytes")
    size_words = size_text(size) if size is not None else _size_words(spark, sql_name)
    if size_words:
        facts["size"] = size_words
    if not facts:
        return None
    columns = _clustered_by(spark, sql_name, detail, described)
    shares: Mapping[str, float | None] = {}
    note = ""
    if columns and files is not None and 0 < files <= _MOST_FILES:
        shares, note = snapshot("table", table, columns, measured=False).read_shares(), ESTIMATED
    elif columns:
        note = f"Ordered by {', '.join(columns)}; describeLayout() tells what that is worth."
    return card_html(table.name.replace("`", ""), facts, shares, note)


def ordered_by(spark: SparkSession, sql_name: str) -> Sequence[str]:
    """The columns of a table's order, or of its last z-order where its history tells; none where nothing does."""
    is_path = sql_name.startswith(("delta.`", "parquet.`"))
    described = {} if is_path else _described(spark, sql_name)
    provider = sql_name.split(".")[0] if is_path else described.get("Provider", "")
    detail = _detail(spark, sql_name, provider)
    return _clustered_by(spark, sql_name, detail, described)


def _described(spark: SparkSession, sql_name: str) -> dict[str, str]:
    """What the catalog knows of a table by its name; empty if that fails."""
    try:
        rows = spark.sql(_sql.describe_table(sql_name)).collect()
    except PySparkException:
        return {}
    return {str(row["col_name"]): str(row["data_type"]) for row in rows}


def _detail(spark: SparkSession, sql_name: str, found_format: str) -> dict[str, Any]:
    """What formats with metadata of their own keep of a table's files; empty of others."""
    statement = {"delta": _sql.describe_detail, "iceberg": _sql.iceberg_files}.get(found_format.lower())
    if statement is None:
        return {}
    try:
        rows = spark.sql(statement(sql_name)).collect()
    except PySparkException:
        return {}
    return rows[0].asDict() if rows else {}


def _file_count(table: DescribedTable, found_format: str, detail: Mapping[str, Any]) -> int | None:
    """The number of files; None of other formats, whose readers (V2) tell Spark of none."""
    files = detail.get("numFiles")
    if files is None and found_format.lower() in _FILES_ARE_KNOWN:
        files = len(table.toDF().inputFiles())
    return None if files is None else int(files)


def _size_words(spark: SparkSession, sql_name: str) -> str:
    """The size by the files' listing, as the planner prints it; empty if it does not know it."""
    try:
        plan = str(spark.sql(_sql.explain_cost(sql_name)).collect()[0][0])
    except PySparkException:
        return ""
    found = _SIZE.search(plan)
    return found[1] if found and found[1] != _UNKNOWN_SIZE else ""


def _clustered_by(
    spark: SparkSession, sql_name: str, detail: Mapping[str, Any], described: Mapping[str, str]
) -> Sequence[str]:
    """The columns of the table's order, else those of its last z-order in its history; none if neither is there."""
    order = (detail.get("properties") or {}).get("sort.columns")
    if order is None:
        match = re.search(r"\bsort\.columns=([^\]]*?)(?:,\s*[\w.]+=|\])", described.get("Table Properties", ""))
        order = match[1] if match else ""
    if order:
        return [part.strip() for part in re.findall(r"`(?:[^`]|``)*`(?:\.[^,]+)?|[^,]+", order) if part.strip()]
    if not detail:
        return []
    if described.get("Provider", "").lower() == "iceberg":
        return _last_of_iceberg(spark, sql_name)
    try:
        history = (
            spark.sql(_sql.describe_history(sql_name)).where("operation = 'OPTIMIZE'").select("operationParameters")
        )
        for row in history.limit(5).collect():
            if columns := json.loads((row[0] or {}).get("zOrderBy") or "[]"):
                return [quote_identifier(name) if _is_name(name) else quote_part(name) for name in columns]
    except (PySparkException, ValueError):
        return []
    return []


def _last_of_iceberg(spark: SparkSession, sql_name: str) -> Sequence[str]:
    try:
        rows = spark.sql(_sql.iceberg_order(sql_name)).collect()
    except PySparkException:
        return []
    columns = rows[0]["columns"].split(", ") if rows else []
    return columns if all(_is_name(name) for name in columns) else []


def _is_name(text: str) -> bool:
    return bool(re.fullmatch(r"[\w.]+", text))
