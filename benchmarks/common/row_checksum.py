# SPDX-License-Identifier: Apache-2.0

"""A number that any change of any row changes, whatever the order of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame


def row_checksum(table: DataFrame, columns: Sequence[str]) -> tuple[int, str]:
    """Rows, and the sum of the rows' hashes.

    Args:
        table: any table.
        columns: all of its columns, in the order to hash them in.
    """
    # xxhash64 passes over NULL: which columns are NULL is hashed too.
    hashed = F.xxhash64(*columns, *[F.isnull(column) for column in columns])
    row = table.agg(F.count(F.lit(1)), F.sum(hashed.cast("decimal(20, 0)"))).collect()[0]
    return row[0], str(row[1])
