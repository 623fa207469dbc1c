# SPDX-License-Identifier: Apache-2.0

"""Every statement on tables of both formats in an object store: the rows, the layout, and what is left in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from statements import FORMATS, statements
from store_tables import check_answers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from store import Store


@pytest.mark.parametrize("table_format", FORMATS)
def test_every_statement(spark: SparkSession, store: Store, table_format: str) -> None:
    folder = f"s3a://bucket/{table_format}-statements"
    answers = {purpose: spark.sql(text).collect() for purpose, text in statements(table_format, folder).items()}

    check_answers(store, f"{table_format}-statements", table_format, answers)
