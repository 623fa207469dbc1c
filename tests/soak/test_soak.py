# SPDX-License-Identifier: Apache-2.0

"""The short form of `make soak`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soak import soak

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_are_those_of_the_writers_records(tmp_path: Path) -> None:
    assert soak(tmp_path, 1.5, 30, small=True) == []
