# SPDX-License-Identifier: Apache-2.0

"""Ranges from Parquet footers and page indexes, read by Spark's own parquet-hadoop."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from common.shares import Bounds, Unit, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from common.shares import Value

_LITTLE_ENDIAN = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d"}


@dataclass
class Ranges:
    """Ranges of one column: of every file, row group and page of a table."""

    files: list[Unit] = field(default_factory=list)
    row_groups: list[Unit] = field(default_factory=list)
    pages: list[Unit] = field(default_factory=list)


class FooterReader:
    """Reads footers through the session's JVM."""

    def __init__(self, spark: SparkSession) -> None:
        """Takes a classic session."""
        context = spark.sparkContext
        self._jvm: Any = context._jvm
        self._conf: Any = context._jsc.hadoopConfiguration()

    def rows(self, files: Iterable[Path]) -> int:
        """The rows of these files."""
        total = 0
        for path in files:
            reader = self._opened(path)
            total += reader.getRecordCount()
            reader.close()
        return total

    def ranges(self, files: Iterable[Path], columns: Sequence[str]) -> dict[str, Ranges]:
        """The ranges of these columns in these files."""
        found = {column: Ranges() for column in columns}
        for path in files:
            reader = self._opened(path)
            groups: dict[str, list[Unit]] = {column: [] for column in columns}
            for block in reader.getFooter().getBlocks():
                for chunk in block.getColumns():
                    column = chunk.getPath().toDotString()
                    if column in found:
                        group = _group_bounds(chunk)
                        groups[column].append(group)
                        found[column].pages += self._page_bounds(reader, chunk, group)
            reader.close()
            for column, units in groups.items():
                found[column].row_groups += units
                found[column].files.append(merged(units))
        return found

    def page_rows(self, files: Iterable[Path], column: str) -> list[list[int]]:
        """The rows of every page of a column, a list for each file; a row group without an index is one page."""
        found: list[list[int]] = []
        for path in files:
            reader = self._opened(path)
            rows: list[int] = []
            for block in reader.getFooter().getBlocks():
                for chunk in block.getColumns():
                    if chunk.getPath().toDotString() == column:
                        rows += _rows_between(reader.readOffsetIndex(chunk), block.getRowCount())
            reader.close()
            found.append(rows)
        return found

    def _opened(self, path: Path) -> Any:  # noqa: ANN401 - an object of the JVM
        hadoop = self._jvm.org.apache.parquet.hadoop
        location = self._jvm.org.apache.hadoop.fs.Path(path.as_uri())
        return hadoop.ParquetFileReader.open(hadoop.util.HadoopInputFile.fromPath(location, self._conf))

    def _page_bounds(self, reader: Any, chunk: Any, group: Unit) -> list[Unit]:  # noqa: ANN401
        """Without a page index a reader skips the row group or nothing: it counts as one page."""
        index = reader.readColumnIndex(chunk)
        if index is None:
            return [group]
        lows, highs = (map(self._bytes, bounds) for bounds in (index.getMinValues(), index.getMaxValues()))
        kind = _type(chunk)
        return [
            Bounds(None, None) if empty else Bounds(decoded(low, *kind), decoded(high, *kind))
            for empty, low, high in zip(index.getNullPages(), lows, highs, strict=True)
        ]

    def _bytes(self, buffer: Any) -> bytes:  # noqa: ANN401
        return bytes(self._jvm.org.apache.parquet.io.api.Binary.fromConstantByteBuffer(buffer).getBytes())


def decoded(encoded: bytes, physical: str, logical: str) -> Value:
    r"""A bound of a page as a value that compares as the column does.

    Args:
        encoded: the bytes in the column index.
        physical: the column's type in the file, such as `INT64`.
        logical: its logical type as parquet-hadoop prints it, such as `TIMESTAMP(MICROS,true)`.

    Example:
        >>> decoded(b"\x07\x00\x00\x00", "INT32", "null")
        7
    """
    if physical in _LITTLE_ENDIAN:
        value: Value = struct.unpack(_LITTLE_ENDIAN[physical], encoded)[0]
        return value
    return int.from_bytes(encoded, "big", signed=True) if logical.startswith("DECIMAL") else encoded


def _rows_between(index: Any, count: int) -> list[int]:  # noqa: ANN401
    if index is None:
        return [count]
    begins = [index.getFirstRowIndex(i) for i in range(index.getPageCount())]
    return [end - begin for begin, end in zip(begins, [*begins[1:], count], strict=True)]


def _group_bounds(chunk: Any) -> Unit:  # noqa: ANN401
    physical, logical = _type(chunk)
    if logical.startswith("TIMESTAMP") and "MICROS" not in logical:
        raise ValueError(f"{chunk.getPath()} is {logical}; lookups are in microseconds")
    statistics = chunk.getStatistics()
    if statistics is None or not statistics.hasNonNullValue():
        all_null = statistics is not None and statistics.getNumNulls() == chunk.getValueCount()
        return Bounds(None, None) if all_null else None
    low, high = statistics.genericGetMin(), statistics.genericGetMax()
    if physical in _LITTLE_ENDIAN:
        return Bounds(low, high)
    return Bounds(decoded(bytes(low.getBytes()), physical, logical), decoded(bytes(high.getBytes()), physical, logical))


def _type(chunk: Any) -> tuple[str, str]:  # noqa: ANN401
    primitive = chunk.getPrimitiveType()
    return primitive.getPrimitiveTypeName().name(), str(primitive.getLogicalTypeAnnotation())
