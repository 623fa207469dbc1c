# SPDX-License-Identifier: Apache-2.0

"""Small grids in files of a few cells, by three orders: what a query reads of them, and how deep their files lie."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from spark_zorder._layout.ranges import FileRanges
from spark_zorder.plot._curves import hilbert_position, z_position

if TYPE_CHECKING:
    from collections.abc import Callable

Cell = tuple[int, int]


def linear(cell: Cell, bits: int) -> int:
    """The place in rows of x, in each by y."""
    return cell[0] << bits | cell[1]


def zorder(cell: Cell, bits: int) -> int:
    """The place on the z-order curve, with the leading bit from x."""
    return z_position(*cell, bits)


def hilbert(cell: Cell, bits: int) -> int:
    """The place on the Hilbert curve."""
    return hilbert_position(*cell, bits)


@dataclass(frozen=True)
class Box:
    """A file's bounds, both ends of them in the file."""

    x: tuple[int, int]
    y: tuple[int, int]


class Grid:
    """All cells of a square grid, one row each, cut into files of as many cells."""

    def __init__(self, order: Callable[[Cell, int], int], *, bits: int = 3, cells: int = 4) -> None:
        """Lays the cells out.

        Args:
            order: gives a cell's place, of its two coordinates and their bits.
            bits: of each coordinate; the grid has `2 ** bits` columns and rows.
            cells: in each file.
        """
        self.side = 1 << bits
        self.path = sorted(product(range(self.side), repeat=2), key=lambda cell: order(cell, bits))
        self.files = [self.path[start : start + cells] for start in range(0, len(self.path), cells)]

    @property
    def boxes(self) -> list[Box]:
        """The files' bounds, in the files' order."""
        return [
            Box((min(x for x, _ in f), max(x for x, _ in f)), (min(y for _, y in f), max(y for _, y in f)))
            for f in self.files
        ]

    def read(self, x: int, y: int) -> list[bool]:
        """Whether the query for one x or one y opens each file, by the files' bounds."""
        return [b.x[0] <= x <= b.x[1] or b.y[0] <= y <= b.y[1] for b in self.boxes]

    def false_positives(self, x: int, y: int) -> int:
        """Rows of these files that the query does not want."""
        opened = [file for file, is_read in zip(self.files, self.read(x, y), strict=True) if is_read]
        return sum(cell[0] != x and cell[1] != y for file in opened for cell in file)

    def overlaps_and_depth(self, column: str) -> tuple[float, float]:
        """Average overlaps and average depth of the files on `x` or `y`, as in DESCRIBE LAYOUT."""
        measured = FileRanges([getattr(box, column) for box in self.boxes])
        return measured.average_overlaps, measured.average_depth
