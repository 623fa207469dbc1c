# SPDX-License-Identifier: Apache-2.0

"""Keeps tables clustered: an incremental run on each, every night."""

import os
from datetime import datetime, timedelta

from airflow.sdk import dag, task

# An environment with spark-zorder, which need not be Airflow's own: `pip install "$(ls python/dist/*.whl)[pyspark]"`.
BIN = os.environ.get("ZORDER_BIN", "/opt/zorder/bin")
LAKE = os.environ.get("LAKE", "/data")
TABLES = [
    {"path": f"{LAKE}/events", "columns": ["user", "place"]},
    {"path": f"{LAKE}/trips", "columns": ["place", "day"]},
]


@dag(
    schedule="0 3 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
)
def zorder_nightly():
    @task.external_python(python=f"{BIN}/python", expect_airflow=False, max_active_tis_per_dagrun=1)
    def optimize(path, columns):
        from pyspark.sql import SparkSession

        from spark_zorder import ZOrderTable, configure_spark_with_zorder

        # `delta=True` for Delta tables; `.master(...)` and the rest as for any job of yours.
        spark = configure_spark_with_zorder(SparkSession.builder).getOrCreate()
        run = ZOrderTable.forPath(spark, path).optimize({"mode": "incremental"}).executeZOrderBy(*columns)
        done = run.selectExpr("metrics.numFilesRemoved AS removed", "metrics.numFilesAdded AS added").first()
        # What a task returns is kept by Airflow, so that runs can be compared.
        return {"path": path, **done.asDict()}

    @task.bash
    def layout():
        statements = "; ".join(
            f"DESCRIBE LAYOUT '{table['path']}' ON ({', '.join(table['columns'])})" for table in TABLES
        )
        return f'{BIN}/spark-sql $({BIN}/python -m spark_zorder conf) -e "{statements}"'

    optimize.expand_kwargs(TABLES) >> layout()


zorder_nightly()
