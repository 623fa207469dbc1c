# SPDX-License-Identifier: Apache-2.0

"""A folder for what a test writes, with nothing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """`tmp_path` itself has the settings of Spark that all tests are given."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder
