# SPDX-License-Identifier: Apache-2.0

"""What share of the files a point lookup reads, over the values of all rows."""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING, Any

from spark_zorder._footers.doubt import NotCertain
from spark_zorder._layout.ranges import FileRanges

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spark_zorder._footers.columns import StoredColumn
    from spark_zorder._footers.table import FooterFile, FooterTable

# Of larger tables Spark draws a sample, and has more than one core to do so.
MOST_VALUES = 5_000_000
_DIGITS = decimal.Context(prec=80)


def read_shares(table: FooterTable, columns: Sequence[StoredColumn]) -> list[float | None]:
    """Returns for each column the mean share of files that may hold a row's value; None where no row has one.

    Raises:
        NotCertain: there are too many rows to look them all up.
    """
    if sum(file.rows for file in table.files) * len(columns) > MOST_VALUES:
        raise NotCertain("the table is large")
    ranges = [FileRanges([file.range(column) for file in table.files]) for column in columns]
    rows, depths = [0] * len(columns), [0] * len(columns)
    bounded = [i for i, column in enumerate(columns) if column.has_bounds]
    for file in table.files:
        counted = _counts(table.root / file.path, [columns[i] for i in bounded])
        for i, counts in zip(bounded, counted, strict=True):
            for value, count in counts:
                rows[i] += count
                depths[i] += count * ranges[i].depth_at(columns[i].key(value))
        for i in set(range(len(columns))) - set(bounded):
            # Each value is looked up in all files that have any.
            values = _values(table, file, columns[i])
            rows[i] += values
            depths[i] += values * ranges[i].unknown
    files = len(table.files)
    return [depth / row / files if row else None for depth, row in zip(depths, rows, strict=True)]


def _values(table: FooterTable, file: FooterFile, column: StoredColumn) -> int:
    """The number of values without NULL."""
    nulls = file.bounds(column).nulls
    if nulls is not None:
        return file.rows - nulls
    import pyarrow.parquet as pq

    data = pq.ParquetFile(table.root / file.path).read(columns=[column.name])
    values = _column(data, column)
    return len(values) - int(values.null_count)


def _counts(file: Path, columns: Sequence[StoredColumn]) -> list[list[tuple[Any, int]]]:
    """Of each column the values in a file, as they are stored, with the number of their rows; without NULL."""
    import pyarrow.parquet as pq

    if not columns:
        return []
    # As the file itself, or pyarrow adds the columns of its folders.
    data = pq.ParquetFile(file).read(columns=[column.name for column in columns])
    return [_counted(data, column) for column in columns]


def _column(data: Any, column: StoredColumn) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow.compute as pc

    values = data.column(column.path[0])
    for name in column.path[1:]:
        values = pc.struct_field(values, name)
    return values


def _counted(data: Any, column: StoredColumn) -> list[tuple[Any, int]]:  # noqa: ANN401
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _column(data, column)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    plain = {
        "string": pa.large_binary(),
        "binary": pa.large_binary(),
        "date": pa.int32(),
        "long": pa.int64(),
        "integer": pa.int32(),
    }
    if column.kind in plain:
        values = values.cast(plain[column.kind])
    elif column.is_time:
        # In two steps, as whole numbers have no unit.
        zone = values.type.tz
        values = values.cast(pa.timestamp("us", zone)).cast(pa.int64())
    counted = pc.value_counts(values.combine_chunks())
    found = zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
    if column.kind.startswith("decimal"):
        return [(int(value.scaleb(column.scale, _DIGITS)), count) for value, count in found if value is not None]
    return [(value, count) for value, count in found if value is not None]
