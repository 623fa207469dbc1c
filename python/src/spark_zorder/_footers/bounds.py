# SPDX-License-Identifier: Apache-2.0

"""The bounds of a column in a file, out of the statistics of its column chunks, as the extension takes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_zorder._footers.doubt import NotCertain

if TYPE_CHECKING:
    from spark_zorder._footers.columns import StoredColumn

# Writers whose statistics parquet-java and Arrow read alike.
_WRITER = re.compile(r"parquet-mr version 1\.(?:1[0-9]|[2-9][0-9])\.|parquet-cpp-arrow version (?:[5-9]|[1-9][0-9])\.")
_LEGACY_CALENDARS = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")
_SPARK_VERSION = b"org.apache.spark.version"
# 1901-01-01: before it calendars differ.
_FIRST_SAFE_DAY = -25202
_MICROS_PER_DAY = 86_400_000_000


class Bounds(NamedTuple):
    """What a file says of a column, in stored values; None where it is not known.

    Attributes:
        low: no value is less.
        high: no value is greater, but for NaN in the files of writers that leave it out.
        nulls: number of rows without a value.
    """

    low: Any
    high: Any
    nulls: int | None


def require_known_writer(metadata: Any) -> None:  # noqa: ANN401 - pyarrow has no types
    """Checks that a file's statistics and calendars are those of a known writer.

    Raises:
        NotCertain: they are not.
    """
    if not _WRITER.match(metadata.created_by or ""):
        raise NotCertain(f"a file is by {metadata.created_by!r}")
    if any(key in (metadata.metadata or {}) for key in _LEGACY_CALENDARS):
        raise NotCertain("a file has days of an old calendar")


def bounds_of(metadata: Any, column: StoredColumn) -> Bounds:  # noqa: ANN401
    """Returns the bounds of a column in a file.

    Raises:
        NotCertain: the bounds are days or times of which a setting says what they mean.
    """
    parts = [
        _of_chunk(metadata.row_group(group).column(column.number), column) for group in range(metadata.num_row_groups)
    ]
    counts = [bounds.nulls for bounds, _ in parts]
    nulls = None if None in counts else sum(count for count in counts if count is not None)
    filled = [bounds for bounds, _ in parts if bounds.low is not None]
    if not filled or any(bounds.low is None and not is_empty for bounds, is_empty in parts):
        return Bounds(None, None, nulls)
    low = min((bounds.low for bounds in filled), key=column.key)
    high = max((bounds.high for bounds in filled), key=column.key)
    if column.is_time:
        _require_safe(metadata, column, low)
    return Bounds(low, high, nulls)


def _of_chunk(chunk: Any, column: StoredColumn) -> tuple[Bounds, bool]:  # noqa: ANN401
    """The bounds of a chunk, and whether it certainly holds no value."""
    found = chunk.statistics
    if found is None:
        return Bounds(None, None, None), False
    nulls = found.null_count if found.has_null_count else None
    if not found.has_min_max or not column.has_bounds:
        # Arrow counts the values without NULL in statistics, with them here.
        return Bounds(None, None, nulls), nulls == chunk.num_values
    low, high = (_stored(value, column) for value in (found.min_raw, found.max_raw))
    if column.kind in ("float", "double"):
        if low != low or high != high:
            return Bounds(None, None, nulls), False
        # As parquet-java reads them: a writer may not have told the zeros apart.
        low, high = -0.0 if low == 0 else low, 0.0 if high == 0 else high
    return Bounds(low, high, nulls), False


def _stored(value: Any, column: StoredColumn) -> Any:  # noqa: ANN401
    if column.kind.startswith("decimal") and isinstance(value, bytes):
        return int.from_bytes(value, "big", signed=True)
    return value * 1000 if column.millis else value


def _require_safe(metadata: Any, column: StoredColumn, low: int) -> None:  # noqa: ANN401
    first = _FIRST_SAFE_DAY if column.kind == "date" else _FIRST_SAFE_DAY * _MICROS_PER_DAY
    by_spark = (metadata.metadata or {}).get(_SPARK_VERSION, b"")
    if low < first and not re.match(rb"[3-9]\.", by_spark):
        raise NotCertain("a file has days before 1901")
