# SPDX-License-Identifier: Apache-2.0

"""Every test here runs twice: against Delta's own implementation (take-over off) and against ours (on)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from sides import Side, Table

from launching import INTERPRETED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

SETTINGS = {
    **INTERPRETED,
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.shuffle.partitions": "2",
    # Files of these tests are seconds old when VACUUM comes.
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
}

numbers = itertools.count()


@pytest.fixture(scope="session", params=["delta", "ours"])
def side(request: pytest.FixtureRequest, spark: SparkSession) -> Side:
    is_ours = request.param == "ours"
    session = spark.newSession()
    for key, value in {**SETTINGS, "spark.sql.zorder.delta.takeover": str(is_ours).lower()}.items():
        session.conf.set(key, value)
    return Side(session, is_ours)


@pytest.fixture
def new_table(side: Side) -> Iterator[Callable[[], Table]]:
    """Makes names of tables that do not exist yet; they are dropped after the test."""
    made: list[Table] = []

    def make() -> Table:
        made.append(Table(side, f"parity_{next(numbers)}"))
        return made[-1]

    yield make
    for table in made:
        side.sql(f"DROP TABLE IF EXISTS {table.name}")


@pytest.fixture
def table(new_table: Callable[[], Table]) -> Table:
    return new_table()
