# SPDX-License-Identifier: Apache-2.0

"""The extension's SQL functions for DataFrames; they work on classic and Connect sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_zorder.errors import wrong_type

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["hilbert_index", "interleave_bits", "range_partition_id", "zorder_key"]


def interleave_bits(*cols: Column | str) -> Column:
    """Interleaves the bits of INT values to their position on the z-order curve.

    The first argument owns the most significant bit. NULL counts as 0, so the result is never NULL.

    Args:
        cols: columns of type INT, or their names; any number of them.

    Returns:
        A BINARY column of `4 * len(cols)` bytes, big-endian.

    Raises:
        AnalysisException: an argument is not of type INT (`ZORDER_INVALID_ARGUMENT_TYPE`).

    Example:
        >>> df.select(interleave_bits("x", "y"))  # doctest: +SKIP
    """
    return F.call_function("interleave_bits", *cols)


def hilbert_index(bits: int, *cols: Column | str) -> Column:
    """Gives the position of a point on the Hilbert curve through a grid.

    Args:
        bits: bits of each coordinate, 1 to 31; the grid has `2 ** bits` steps along each axis, and
            `bits * len(cols)` is at most 63.
        cols: columns of type INT, or their names, one per axis; their lowest `bits` bits count, NULL counts as 0.

    Returns:
        A BIGINT column, 0 to `2 ** (bits * len(cols)) - 1`.

    Raises:
        ZOrderTypeError: `bits` is not an int.
        AnalysisException: no column (`ZORDER_NO_AXIS`), an argument that is not of type INT
            (`ZORDER_INVALID_ARGUMENT_TYPE`), or a number of bits out of range (`ZORDER_INVALID_BITS`).

    Example:
        >>> df.select(hilbert_index(10, "x", "y"))  # doctest: +SKIP
    """
    if isinstance(bits, bool) or not isinstance(bits, int):
        raise wrong_type("bits", "an int", bits)
    return F.call_function("hilbert_index", F.lit(bits), *cols)


def range_partition_id(col: Column | str, num_partitions: int) -> Column:
    """Gives the id of the range that holds a value, when the input is cut into ranges of even row counts.

    NULL is in range 0. One extra pass over the input finds the ranges when the query runs, shared by all calls over
    the same input.

    Args:
        col: a column of any type that can be ordered, or its name.
        num_partitions: the number of ranges, 1 or more.

    Returns:
        An INT column, 0 to `num_partitions - 1`, never NULL.

    Raises:
        ZOrderTypeError: `num_partitions` is not an int.
        AnalysisException: it is less than 1 (`ZORDER_NON_POSITIVE_RANGE_COUNT`), or the type has no order.

    Example:
        >>> df.select(range_partition_id("price", 1000))  # doctest: +SKIP
    """
    if isinstance(num_partitions, bool) or not isinstance(num_partitions, int):
        raise wrong_type("num_partitions", "an int", num_partitions)
    return F.call_function("range_partition_id", col, F.lit(num_partitions))


def zorder_key(*cols: Column | str) -> Column:
    """Gives a key that sorts rows along the z-order curve through columns of mixed types, without a sample.

    Keys compare as the rows compare in the column with the most significant bit in which they differ; the first column
    owns the most significant one. NULL lies below every value.

    Args:
        cols: columns of numbers, strings, binaries, booleans, dates, times, timestamps or intervals, or their names;
            one or more. Of strings and binaries the first 16 bytes count.

    Returns:
        A BINARY column, never NULL, of one length for all rows.

    Raises:
        AnalysisException: no column (`ZORDER_NO_KEY_COLUMN`), or one of another type (`ZORDER_INVALID_ARGUMENT_TYPE`).

    Example:
        >>> df.sortWithinPartitions(zorder_key("price", "day"))  # doctest: +SKIP
    """
    return F.call_function("zorder_key", *cols)
