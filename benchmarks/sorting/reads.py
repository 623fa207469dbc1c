# SPDX-License-Identifier: Apache-2.0

"""What point lookups read of a table: by its page indexes, by EXPLAIN SKIPPING, and by the scans themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.plans import metric, scan
from common.shares import point_read_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from common.footers import FooterReader, Ranges
    from common.shares import Unit

UNITS = ("files", "row_groups", "pages")


@dataclass(frozen=True)
class PageIndexes:
    """What the footers and page indexes of a table's files tell of some columns.

    Attributes:
        ranges: of each column.
        page_rows: of each column the rows of every page, a list for each file.
    """

    ranges: Mapping[str, Ranges]
    page_rows: Mapping[str, list[list[int]]]


def page_indexes(reader: FooterReader, files: Sequence[Path], columns: Iterable[str]) -> PageIndexes:
    """Reads them."""
    names = list(columns)
    return PageIndexes(reader.ranges(files, names), {name: reader.page_rows(files, name) for name in names})


def by_indexes(indexes: PageIndexes, lookups: Mapping[str, Sequence[int]], named: Mapping[str, int]) -> dict[str, Any]:
    """What lookups read by the ranges in footers and page indexes.

    Args:
        indexes: of the table.
        lookups: values for each column, whose mean is taken.
        named: a value for a column, which is looked up by itself.

    Returns:
        For each column the number of its units, the mean share read of each, the number read for the named value, and
        the pages of each file.
    """
    found: dict[str, Any] = {}
    for column, values in lookups.items():
        units = {unit: getattr(indexes.ranges[column], unit) for unit in UNITS}
        found[column] = {
            "units": {unit: len(held) for unit, held in units.items()},
            "share": {unit: point_read_share(held, values) for unit, held in units.items()},
            "named": {unit: read_of(held, named[column]) for unit, held in units.items()} if column in named else None,
            "file_pages": [len(rows) for rows in indexes.page_rows[column]],
        }
    return found


def read_of(units: Sequence[Unit], value: int) -> int:
    """The number of units that a lookup of the value reads.

    Example:
        >>> from common.shares import Bounds
        >>> read_of([Bounds(0, 4), Bounds(5, 9), Bounds(None, None), None], 7)
        2
    """
    return sum(_holds(unit, value) for unit in units)


def _holds(unit: Unit, value: int) -> bool:
    if unit is None:
        return True
    return unit.low is not None and unit.high is not None and unit.low <= value <= unit.high  # type: ignore[operator]


def checked(
    spark: SparkSession, table: str, indexes: PageIndexes, lookups: Mapping[str, Sequence[int]]
) -> dict[str, Any]:
    """Runs lookups, and holds EXPLAIN SKIPPING and the scan's own metrics against the page indexes.

    Dictionaries are left out: by them a reader leaves out row groups of which the ranges hold the value.

    Returns:
        The number of lookups, and a text for each that differs.
    """
    spark.conf.set("parquet.filter.dictionary.enabled", "false")
    # Without it, scans of plain Parquet open every file.
    spark.sql(f"ANALYZE TABLE {table} COMPUTE FILE STATISTICS FOR COLUMNS {', '.join(lookups)}").collect()
    differs: list[str] = []
    for column, values in lookups.items():
        sizes = [size for rows in indexes.page_rows[column] for size in rows]
        for value in values:
            expected = _expected(indexes.ranges[column], sizes, value)
            query = f"SELECT {column} FROM {table} WHERE {column} = {value}"
            told = spark.sql(f"EXPLAIN SKIPPING {query}").collect()[0]
            frame = spark.sql(query)
            frame.collect()
            shown = {"rows": metric(scan(frame), "numOutputRows")} | {
                f"{unit}_{what}": told[f"{unit}_{what}"] for unit in UNITS for what in ("total", "read")
            }
            if shown != expected:
                differs.append(f"{query}: {shown}, by the page indexes {expected}")
    spark.conf.unset("parquet.filter.dictionary.enabled")
    return {"lookups": sum(map(len, lookups.values())), "differs": differs}


def _expected(ranges: Ranges, sizes: Sequence[int], value: int) -> dict[str, int]:
    rows = sum(size for size, page in zip(sizes, ranges.pages, strict=True) if _holds(page, value))
    units = {unit: getattr(ranges, unit) for unit in UNITS}
    return {"rows": rows} | {
        f"{unit}_{what}": len(held) if what == "total" else read_of(held, value)
        for unit, held in units.items()
        for what in ("total", "read")
    }
