# SPDX-License-Identifier: Apache-2.0

"""Space-filling curves through small grids, written to be read: the extension's own are fast."""

from __future__ import annotations

from typing import Literal, TypeAlias

CurveKind: TypeAlias = Literal["zorder", "hilbert"]


def z_position(x: int, y: int, bits: int) -> int:
    """Returns the place of a cell on the z-order curve: the bits of both numbers in turn, x's first.

    Example:
        >>> [z_position(x, y, 1) for x, y in [(0, 0), (0, 1), (1, 0), (1, 1)]]
        [0, 1, 2, 3]
    """
    position = 0
    for bit in reversed(range(bits)):
        position = position << 2 | (x >> bit & 1) << 1 | y >> bit & 1
    return position


def hilbert_position(x: int, y: int, bits: int) -> int:
    """Returns the place of a cell on the Hilbert curve, as the SQL function `hilbert_index(bits, x, y)` does.

    The grid is cut into four squares, which the curve visits in the shape of a U; inside the first and the last square
    the curve is mirrored, so that it leaves each square beside the next.

    Example:
        >>> [hilbert_position(x, y, 1) for x, y in [(0, 0), (0, 1), (1, 1), (1, 0)]]
        [0, 1, 2, 3]
    """
    position = 0
    for bit in reversed(range(bits)):
        right, upper = x >> bit & 1, y >> bit & 1
        square = 2 * right + (right ^ upper)
        position = position << 2 | square
        x, y = x & (1 << bit) - 1, y & (1 << bit) - 1
        if not upper:
            if right:
                x, y = (1 << bit) - 1 - x, (1 << bit) - 1 - y
            x, y = y, x
    return position


def cells_in_order(kind: CurveKind, bits: int) -> list[tuple[int, int]]:
    """Returns the cells (x, y) of a grid of 2 ** bits steps a side, in the order of the curve."""
    position = z_position if kind == "zorder" else hilbert_position
    side = range(1 << bits)
    return sorted(((x, y) for x in side for y in side), key=lambda cell: position(cell[0], cell[1], bits))
