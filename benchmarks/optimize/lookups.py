# SPDX-License-Identifier: Apache-2.0

"""Values to look up, drawn from the rows, in the form in which Parquet's statistics hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType, TimestampType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

LOOKUPS = 10_000


def lookup_values(table: DataFrame, columns: Sequence[str]) -> dict[str, list[int | float | str]]:
    """By column, the values of up to 10,000 rows chosen by their hash, without NULL."""
    form = [_physical(table.schema[column]) for column in columns]
    chosen = table.orderBy(F.xxhash64(F.lit(7), *table.columns)).limit(LOOKUPS).select(*form).collect()
    return {column: [row[i] for row in chosen if row[i] is not None] for i, column in enumerate(columns)}


def _physical(field: StructField) -> Column:
    """Timestamps as microseconds, decimals without their point."""
    column = F.col(field.name)
    if isinstance(field.dataType, TimestampType):
        column = F.unix_micros(column)
    elif isinstance(field.dataType, DecimalType):
        column = (column * 10**field.dataType.scale).cast("bigint")
    return column.alias(field.name)
