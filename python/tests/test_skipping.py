# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spark_zorder import ZOrderTypeError, explain_skipping

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.conftest import FakeSpark


def test_the_query_as_it_is_written(spark: SparkSession, fake: FakeSpark) -> None:
    rows = explain_skipping(spark, "SELECT *\nFROM t -- all")
    assert fake.statements == ["EXPLAIN SKIPPING SELECT *\nFROM t -- all"]
    assert str(rows) == "rows of " + fake.statements[0]


@pytest.mark.parametrize("query", [None, 1, b"SELECT 1"])
def test_a_query_is_a_string(spark: SparkSession, fake: FakeSpark, query: Any) -> None:
    with pytest.raises(ZOrderTypeError):
        explain_skipping(spark, query)
    assert fake.statements == []
