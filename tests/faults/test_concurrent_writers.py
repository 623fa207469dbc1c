# SPDX-License-Identifier: Apache-2.0

"""Appending and deleting writers against repeated OPTIMIZE: the rows are those of the writers' own records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import concurrent_writers
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.long
@pytest.mark.parametrize(("partitioned", "seconds"), [(True, 20), (False, 10)])
def test_rows_are_those_of_the_writers_records(
    spark: SparkSession, tmp_path: Path, partitioned: bool, seconds: int
) -> None:
    summary = concurrent_writers.run(spark, tmp_path / "t", seconds, partitioned=partitioned)

    print("\n".join(summary.lines()))
    assert summary.equal
    # Appends never conflict; and all three kinds took part.
    assert summary.outcomes["appends"]["conflict"] == 0
    assert all(outcomes["committed"] > 0 for outcomes in summary.outcomes.values())
