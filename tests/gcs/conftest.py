# SPDX-License-Identifier: Apache-2.0

"""An object store, and a session whose `gs://` it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gcs_store import GcsStore
from store_session import session_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GcsStore]:
    running = GcsStore(tmp_path_factory.mktemp("store"))
    yield running
    running.end()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, store: GcsStore) -> Iterator[SparkSession]:
    session = session_on(store, tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()
