# SPDX-License-Identifier: Apache-2.0

"""TPC-DS store_sales, from the generator `io.trino.tpcds:tpcds`."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from common.places import DATA, bench_jars

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

_KEYS = ("sold_date", "sold_time", "item", "customer", "cdemo", "hdemo", "addr", "store", "promo")
_AMOUNTS = (
    *("wholesale_cost", "list_price", "sales_price", "ext_discount_amt", "ext_sales_price", "ext_wholesale_cost"),
    *("ext_list_price", "ext_tax", "coupon_amt", "net_paid", "net_paid_inc_tax", "net_profit"),
)
_SCHEMA = ", ".join(
    [f"ss_{name}_sk INT" for name in _KEYS]
    + ["ss_ticket_number BIGINT", "ss_quantity INT"]
    + [f"ss_{name} DECIMAL(7, 2)" for name in _AMOUNTS]
)


def store_sales(spark: SparkSession, scale: float, files: int) -> DataFrame:
    """The rows in random order, the same one every time, in as many partitions as files."""
    table = spark.read.csv(_generated(scale).as_uri(), schema=_SCHEMA, sep="|")
    order = F.xxhash64("ss_ticket_number", "ss_item_sk")
    return table.repartition(files, order).sortWithinPartitions(order)


def _generated(scale: float) -> Path:
    """The generator's file, made once and kept."""
    folder = DATA / f"tpcds-{scale:g}"
    file = folder / "store_sales.dat"
    if not file.exists():
        making = folder.with_name(folder.name + ".part")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        options = ["--scale", f"{scale:g}", "--directory", str(making), "--table", "store_sales", "--overwrite"]
        command = ["java", "-cp", ":".join(bench_jars("tpcds")), "io.trino.tpcds.Driver", *options]
        subprocess.run(command, check=True)
        making.rename(folder)
    return file
