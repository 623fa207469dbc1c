# SPDX-License-Identifier: Apache-2.0

"""What counts as flat, of samples over the time."""

from __future__ import annotations

from holdings import ENOUGH_SAMPLES, grown, medians, table


def told(values: list[int]) -> dict[str, list[dict[str, object]]]:
    return {"reader-1": [{"heap": value * 1024, "threads": 50, "files": 300} for value in values]}


def test_the_first_quarter_may_grow_and_the_others_may_not() -> None:
    filling = [10, 20, 30, 40, 50, 60, *[70] * 18]
    leaking = [70 + 5 * i for i in range(ENOUGH_SAMPLES)]
    assert grown(told(filling)) == []
    assert [text.split(":")[0] for text in grown(told(leaking))] == ["reader-1 holds more heap"]
    # Of a short run nothing can be said.
    assert grown(told(leaking[:12])) == []


def test_the_table_has_a_median_of_each_quarter() -> None:
    lines = told([1, 2, 3, 4, 5, 6, 7, 8])
    assert medians(lines["reader-1"], "heap") == [1.5 * 1024, 3.5 * 1024, 5.5 * 1024, 7.5 * 1024]
    assert table(lines)[2] == "| reader-1 | heap, MiB | 8 | 2 | 4 | 6 | 8 |"
    assert table({"reader-1": []})[4] == "| reader-1 | files | 0 | - | - | - | - |"
