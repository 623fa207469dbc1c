# SPDX-License-Identifier: Apache-2.0

"""Numbers for people: no exponents, no digits that say nothing, and nouns that fit."""

from __future__ import annotations

import pytest

from spark_zorder._numbers import count, percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (0.00000123, "0.00012 %"),
        (0.00042, "0.042 %"),
        (0.004, "0.4 %"),
        (0.031, "3.1 %"),
        (0.05, "5 %"),
        (0.0996, "10 %"),
        (0.25, "25 %"),
        (0.99997, "100 %"),
        (0.9999997, "100 %"),
        (1, "100 %"),
    ],
)
def test_shares(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("share", "error", "text"),
    [
        (0.9999994, 0.000006, "100 %"),
        (1, 0, "100 %"),
        (0.25, 0.006, "25 ± 0.6 %"),
        (0.3, 0.02, "30 ± 2 %"),
        (0.031, 0.0004, "3.1 ± 0.04 %"),
    ],
)
def test_shares_that_may_be_off(share: float, error: float, text: str) -> None:
    assert percent(share, error) == text


def test_counts() -> None:
    assert [count(n, "file") for n in (0, 1, 2, 1200)] == ["0 files", "1 file", "2 files", "1,200 files"]
