# SPDX-License-Identifier: Apache-2.0

"""One cluster for all tests of the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from delta_repository import delta_repository
from standalone import Cluster
from walking import walk

from launching import INTERPRETED, small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.end()


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings by which Spark finds Delta's package."""
    return delta_repository(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder by whose files executors are told to fail."""
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="session")
def on_one_machine(tmp_path_factory: pytest.TempPathFactory, repository: dict[str, str]) -> dict[str, Any]:
    """What the user's program answers without a cluster."""
    folder = tmp_path_factory.mktemp("local")
    return walk(folder / "walk", small(folder) | INTERPRETED | repository)
