# SPDX-License-Identifier: Apache-2.0

"""Advice on tables that fit one file of the size that OPTIMIZE takes: of files so large none can be skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from spark_zorder._numbers import human_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, Row

# As OPTIMIZE's own hint has them.
_MOST_COLUMNS = 2
_LEAST_SIZE = 100_000


def smaller_size(size: int, columns: int = _MOST_COLUMNS) -> str | None:
    """Returns the `target_file_size` that OPTIMIZE names where all rows fit in one file; None if it were tiny.

    Args:
        size: the table's bytes.
        columns: number of z-order columns.

    Example:
        >>> smaller_size(11_485_135), smaller_size(11_485_135, 1), smaller_size(50_000)
        ('717k', '2871k', None)
    """
    smaller = size >> 2 * min(columns, _MOST_COLUMNS)
    return None if smaller < _LEAST_SIZE else f"{smaller // 1000}k"


def advised(ask: Callable[..., DataFrame], columns: int) -> tuple[DataFrame, Sequence[Row], str]:
    """Asks for advice, and once more for smaller files where all rows fit in one of the usual size.

    Args:
        ask: a table's `advise`, but for its options.
        columns: number of columns to choose among; 0 for all.

    Returns:
        What was asked last and is worth to run, its rows, and a note on the size; empty of the usual one.
    """
    data = ask()
    rows = data.collect()
    first = rows[0].asDict() if rows else {}
    if first.get("statement") or first.get("files") != 1:
        return data, rows, ""
    size = smaller_size(first["rewrite_bytes"], columns or _MOST_COLUMNS)
    if size is None:
        return data, rows, ""
    try:
        smaller = ask(options={"target_file_size": size})
        found = smaller.collect()
    except PySparkException:
        # Tables of other formats may know no size; what is known already stands.
        return data, rows, ""
    if not found or not found[0].statement:
        return data, rows, ""
    usual = human_bytes(first["target_file_size"])
    note = (
        f"All rows fit in one file of {usual}, of which no query can skip any: this is for smaller files, "
        f"target_file_size = {size}."
    )
    return smaller, found, note
