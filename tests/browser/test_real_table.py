# SPDX-License-Identifier: Apache-2.0

"""A report on a real table, from OPTIMIZE to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spark_zorder import ZOrderTable, plot, report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.long

ROWS = """SELECT -120 + (id * 7919) % 5000 / 100 AS lon, 25 + (id * 104729) % 2400 / 100 AS lat,
    TIMESTAMP'2013-01-01 00:00:00' + make_interval(0, 0, 0, 0, id % 8760) AS hour FROM range(100000)"""


def test_from_optimize_to_the_page(spark: SparkSession, tmp_path: Path, page_of: Callable[..., Any]) -> None:
    spark.sql(ROWS).repartition(16).write.format("delta").saveAsTable("`weather`")
    table = ZOrderTable.forName(spark, "weather")
    before = plot.extents(table, ["lon", "lat", "hour"])
    table.optimize({"target_file_size": str(before.size // 16)}).executeZOrderBy("lon", "lat")
    path = report(table, ["lon", "lat", "hour"], tmp_path / "weather.html", before=before)
    page = page_of(path)
    page.locator("html[data-drawn]").wait_for(state="attached")
    assert page.console_errors == page.requests == []
    assert "Layout of weather" in page.title()
    assert page.locator(".verdicts tbody th").all_text_contents() == ["lon", "lat", "hour"]
    # The map of longitude and latitude has its outline.
    assert page.locator("#map-1 .scatterlayer path.js-line").count() > 0
    spark.sql("DROP TABLE weather")
