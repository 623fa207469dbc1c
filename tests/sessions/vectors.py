# SPDX-License-Identifier: Apache-2.0

"""Values that interleave_bits and range_partition_id must give."""

from __future__ import annotations

INTERLEAVED: list[tuple[list[int | None], str]] = [
    ([], ""),
    ([0x12345678], "12345678"),
    ([0x000FF0FF, -0x000FF100], "555555AAAA55AAAA"),
    ([0x0000FF00, 0x000000FF, 0x0], "000000000000924924492492"),
    ([-1, None], "AAAAAAAAAAAAAAAA"),
    ([None, -1], "5555555555555555"),
    # Hudi's RFC-28: X = 97, Y = 214 gives 1011011000101001.
    ([214, 97], f"{46633:016X}"),
    ([97, 214], f"{30998:016X}"),
    ([3, 2, 1], f"{53:024X}"),
]

RANGES: list[tuple[list[int | str], int, list[int]]] = [
    (list(range(20)), 20, list(range(20))),
    (list(range(20)), 4, [value // 5 for value in range(20)]),
    (["a", "b", "c", "d"], 2, [0, 0, 1, 1]),
    ([42], 1000, [0]),
]
