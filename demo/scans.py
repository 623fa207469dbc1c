# SPDX-License-Identifier: Apache-2.0

"""What a query's scan read: the scan's own metrics, from Spark's status API."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


def run_counting_files(spark: SparkSession, sql: str, tag: str) -> tuple[list[Row], int]:
    """Runs a query over one table.

    Args:
        spark: a classic session with its UI on.
        sql: the query.
        tag: a text that no other query of this session is run with.

    Returns:
        The rows, and the number of files that the scan read.
    """
    rows, metrics = run_reading_metrics(spark, sql, tag)
    return rows, metrics["number of files read"]


def run_reading_metrics(spark: SparkSession, sql: str, tag: str) -> tuple[list[Row], dict[str, int]]:
    """As `run_counting_files`, but with all of the scan's metrics that are numbers."""
    context = spark.sparkContext
    context.setJobDescription(tag)
    try:
        rows = spark.sql(sql).collect()
    finally:
        context.setJobDescription(None)
    return rows, _metrics(spark, tag)


def _metrics(spark: SparkSession, tag: str, patience: float = 60.0) -> dict[str, int]:
    """Asks until the status API, which lags a little behind the query, has them."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        scans = [
            {metric["name"]: metric["value"].replace(",", "") for metric in node["metrics"]}
            for execution in _finished(spark, tag)
            for node in execution["nodes"]
            if node["nodeName"].startswith("Scan parquet")
        ]
        if scans and "number of files read" in scans[0]:
            (scan,) = scans
            return {name: int(value) for name, value in scan.items() if value.isdigit()}
        time.sleep(0.05)
    raise TimeoutError(f"Spark's status API has no finished scan for: {tag}")


def _finished(spark: SparkSession, tag: str) -> list[dict[str, Any]]:
    context = spark.sparkContext
    options = urllib.parse.urlencode({"details": "true", "planDescription": "false", "length": 10_000})
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/sql?{options}"
    with urllib.request.urlopen(url) as response:  # noqa: S310 - the session's own address
        executions = json.load(response)
    return [e for e in executions if e["description"] == tag and e["status"] == "COMPLETED"]
