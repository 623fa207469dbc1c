# SPDX-License-Identifier: Apache-2.0

"""TPC-DS store_sales in random order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from common.tpcds import generated, read

if TYPE_CHECKING:
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
    table = read(spark, generated(scale, "store_sales"), "store_sales", _SCHEMA)
    order = F.xxhash64("ss_ticket_number", "ss_item_sk")
    return table.repartition(files, order).sortWithinPartitions(order)
