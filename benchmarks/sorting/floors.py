# SPDX-License-Identifier: Apache-2.0

"""The least share of its pages that a table must read for a point lookup, if it treats its columns alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def floor(pages: Sequence[int], columns: int) -> float:
    """The mean share over the columns.

    `p` pages over `k` independent columns cut each column into `p ** (1 / k)` parts at best, of which a lookup needs
    one. Tasks that do not share their rows each have all values.

    Args:
        pages: the number of pages of each task; of a table that is ordered as a whole, their sum alone.
        columns: those that the table is ordered by.

    Example:
        >>> floor([64, 64], 2)
        0.125
    """
    return float(sum(count ** (1 - 1 / columns) for count in pages) / sum(pages))
