# SPDX-License-Identifier: Apache-2.0

"""The layout that OPTIMIZE is held to, in numpy on one machine: ranks, z-order, cuts at cells, share of files read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLACK = 0.35


def ranks(column: NDArray[np.int64], sample: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """The share of the sample below each value, scaled to `bits` bits."""
    below = np.searchsorted(np.sort(sample), column, side="left")
    return np.minimum((below / len(sample) * (1 << bits)).astype(np.int64), (1 << bits) - 1)


def interleaved(point: list[NDArray[np.int64]], bits: int) -> NDArray[np.int64]:
    """The place in z-order, the first column most significant."""
    index = np.zeros(len(point[0]), np.int64)
    for bit in range(bits - 1, -1, -1):
        for axis in point:
            index = (index << 1) | ((axis >> bit) & 1)
    return index


def files_cut_at_cells(index: NDArray[np.int64], files: int) -> NDArray[np.int64]:
    """The file of each row: cuts at the coarsest cell border within the slack, the nearest of equals."""
    total, target = len(index), len(index) / files
    order = np.argsort(index, kind="stable")
    change = index[order][1:] ^ index[order][:-1]
    level = np.where(change > 0, np.floor(np.log2(change.astype(np.float64) + 1e-9)), -1)
    starts, previous = np.zeros(total, np.int64), 0
    while total - previous > target * (1 + SLACK):
        low = int(previous + target * (1 - SLACK))
        high = min(int(previous + target * (1 + SLACK)), total - 1)
        window = level[low - 1 : high - 1]
        candidates = np.flatnonzero(window == window.max()) + low
        previous = int(candidates[np.argmin(np.abs(candidates - (previous + target)))])
        starts[previous] = 1
    result = np.empty(total, np.int64)
    result[order] = np.cumsum(starts)
    return result


def read_share(column: NDArray[np.int64], file_of: NDArray[np.int64]) -> float:
    """The mean over all rows' values of the share of files whose [min, max] holds the value."""
    files = int(file_of.max()) + 1
    low, high = np.full(files, np.iinfo(np.int64).max), np.full(files, np.iinfo(np.int64).min)
    np.minimum.at(low, file_of, column)
    np.maximum.at(high, file_of, column)
    begun = np.searchsorted(np.sort(low), column, side="right")
    ended = np.searchsorted(np.sort(high), column, side="left")
    return float(np.mean(begun - ended) / files)


def modelled(columns: list[NDArray[np.int64]], sample: NDArray[np.int64], files: int) -> NDArray[np.int64]:
    """The file of each row by the model, asked for up to 40 % fewer or more to make as many files as are wanted."""
    bits = 63 // len(columns)
    index = interleaved([ranks(c, c[sample], bits) for c in columns], bits)
    asked = sorted(range(files * 6 // 10, files * 14 // 10 + 1), key=lambda n: abs(n - files))
    best = None
    for n in asked:
        file_of = files_cut_at_cells(index, n)
        if best is None or abs(file_of.max() + 1 - files) < abs(best.max() + 1 - files):
            best = file_of
        if best.max() + 1 == files:
            break
    assert best is not None
    return best
