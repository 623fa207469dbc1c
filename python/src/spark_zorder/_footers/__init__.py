# SPDX-License-Identifier: Apache-2.0

"""What DESCRIBE LAYOUT says of a folder of Parquet files, from their footers by pyarrow, without a JVM.

It answers only where the answer is certainly Spark's; what it cannot judge raises `NotCertain`, and Spark is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_zorder._footers.doubt import NotCertain, doubted
from spark_zorder._footers.fitting import fitted
from spark_zorder._footers.lookups import read_shares
from spark_zorder._footers.table import open_table
from spark_zorder._footers.verdicts import sharing, verdict
from spark_zorder._layout.ranges import FileRanges
from spark_zorder._numbers import decimals, human_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spark_zorder._footers.columns import StoredColumn
    from spark_zorder._footers.table import FooterTable

__all__ = ["NotCertain", "files_of", "layout_for_people", "layout_of"]


@doubted
def layout_of(folder: str | Path, columns: Sequence[str], *, brief: bool = False) -> list[dict[str, Any]]:
    """Returns the rows of `describe_layout` with every row looked up.

    Args:
        folder: the table's folder.
        columns: names of columns; none takes all that have statistics.
        brief: say in three words how to get missing statistics, as DESCRIBE LAYOUT does.

    Raises:
        NotCertain: Spark might say otherwise.
    """
    table = open_table(folder)
    described = table.described(columns)
    shares = read_shares(table, described)
    rows = [
        _row(table, column, share, sharing(table.clusterings, column.path, len(columns)), brief=brief)
        for column, share in zip(described, shares, strict=True)
    ]
    table.require_unchanged()
    return rows


def _row(table: FooterTable, column: StoredColumn, share: float | None, axes: int, *, brief: bool) -> dict[str, Any]:
    ranges = FileRanges([file.range(column) for file in table.files])
    bounds = [file.bounds(column) for file in table.files]
    lows = [bound.low for bound in bounds if bound.low is not None]
    highs = [bound.high for bound in bounds if bound.high is not None]
    nulls = [bound.nulls for bound in bounds]
    word, reason = verdict(ranges, share, axes, "OPTIMIZE writes them" if brief else _remedy(table, column))
    return {
        "column": column.name,
        "files": len(table.files),
        "rows": sum(file.rows for file in table.files),
        "bytes": sum(file.size for file in table.files),
        "min": column.text(min(lows, key=column.key)) if lows else None,
        "max": column.text(max(highs, key=column.key)) if highs else None,
        "null_count": None if None in nulls else sum(count for count in nulls if count is not None),
        "average_overlaps": ranges.average_overlaps,
        "average_depth": ranges.average_depth,
        "max_depth": ranges.max_depth,
        "depth_histogram": ranges.depth_histogram,
        "point_read_share": share,
        "standard_error": None if share is None else 0.0,
        "verdict": word,
        "reason": reason,
    }


def _remedy(table: FooterTable, column: StoredColumn) -> str:
    statement = f"OPTIMIZE '{table.name}' ZORDER BY ({column.name})"
    return f"every file is read: the files were written without them; {statement} writes them."


# Of a bound, as in the statement: enough for a date and its hour.
_BOUND_WIDTH = 14


@doubted
def layout_for_people(folder: str | Path, columns: Sequence[str]) -> tuple[list[str], list[list[Any]]]:
    """Returns the columns and rows of the statement DESCRIBE LAYOUT, rounded and cut as it does.

    Raises:
        NotCertain: Spark might say otherwise.
    """
    names = ["column", "files", "size", "min", "max", "point_read_share", "verdict", "reason"]
    rows = [
        [
            row["column"],
            row["files"],
            human_bytes(row["bytes"]),
            row["min"],
            row["max"],
            None if row["point_read_share"] is None else float(decimals(row["point_read_share"], 4)),
            row["verdict"],
            row["reason"],
        ]
        for row in layout_of(folder, columns, brief=True)
    ]
    return names, fitted(names, rows, bounds=("min", "max"), bound_width=_BOUND_WIDTH)


@doubted
def files_of(folder: str | Path, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the rows of DESCRIBE LAYOUT EXTENDED.

    Args:
        folder: the table's folder.
        columns: names of columns; none takes all that have statistics.

    Raises:
        NotCertain: Spark might say otherwise.
    """
    table = open_table(folder)
    rows = []
    for file in table.files:
        for column in table.described(columns):
            bounds = file.bounds(column)
            rows.append(
                {
                    "file": file.path,
                    "partition": file.path.rpartition("/")[0],
                    "rows": file.rows,
                    "bytes": file.size,
                    "row_groups": file.row_groups,
                    "column": column.name,
                    "min": None if bounds.low is None else column.text(bounds.low),
                    "max": None if bounds.high is None else column.text(bounds.high),
                    "null_count": bounds.nulls,
                }
            )
    table.require_unchanged()
    return rows
