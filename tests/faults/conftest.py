# SPDX-License-Identifier: Apache-2.0

"""A session whose statements are interpreted, and a reader without our extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plain_delta import PlainDelta

from launching import INTERPRETED

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def session_settings() -> dict[str, str]:
    return INTERPRETED


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainDelta]:
    reader = PlainDelta(tmp_path_factory.mktemp("plain"))
    yield reader
    reader.close()
