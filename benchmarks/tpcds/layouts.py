# SPDX-License-Identifier: Apache-2.0

"""TPC-DS with its facts as three layouts of Delta tables: databases which have all other tables in common."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from common.statements import optimize
from common.tpcds import generated, read, schemas

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

LOADED, DELTA, OURS = "loaded", "delta", "ours"
LAYOUTS = {LOADED: "load order", DELTA: "Delta's z-order", OURS: "spark-zorder"}
# The facts, with the columns that they are clustered by, and their files as a share of those of the first.
FACTS = {
    "store_sales": (("ss_sold_date_sk", "ss_item_sk"), 1.0),
    "catalog_sales": (("cs_sold_date_sk", "cs_item_sk"), 0.5),
    "web_sales": (("ws_sold_date_sk", "ws_item_sk"), 0.25),
}
# store_sales by one column alone, for first rows.
BY_ONE = "store_sales_by_ticket"


class Built(NamedTuple):
    """A fact as one layout has it: its layout, its name, its files and their bytes."""

    layout: str
    fact: str
    files: int
    size: int


def database(layout: str) -> str:
    """The database of a layout."""
    return f"tpcds_{layout}"


def build(spark: SparkSession, folder: Path, scale: float, files: int) -> list[Built]:
    """Writes what is not there yet, and names all of it in the session's catalog.

    Args:
        spark: a session with Delta and the extension.
        folder: of the tables.
        scale: of TPC-DS.
        files: of store_sales, for all layouts as far as each system obeys.
    """
    columns = schemas()
    for table in columns:
        if table not in FACTS:
            _write(spark, folder / "others" / table, scale, table, columns[table])
    for layout in LAYOUTS:
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {database(layout)}")
        for table in columns:
            target = folder / (layout if table in FACTS else "others") / table
            if table in FACTS:
                _fact(spark, folder, layout, table, (scale, columns[table], files))
            # Of Parquet Spark would read a footer of each.
            kind = "USING delta" if table in FACTS else f"({columns[table]}) USING parquet"
            spark.sql(f"CREATE TABLE {database(layout)}.{table} {kind} LOCATION '{target}'")
    _by_one(spark, folder, files)
    return [_built(spark, layout, fact) for layout in LAYOUTS for fact in FACTS]


def _write(spark: SparkSession, target: Path, scale: float, table: str, schema: str) -> None:
    if not (target / "_SUCCESS").exists():
        read(spark, generated(scale), table, schema).write.mode("overwrite").parquet(str(target))


def _fact(spark: SparkSession, folder: Path, layout: str, table: str, made: tuple[float, str, int]) -> None:
    scale, schema, files = made
    columns, share = FACTS[table]
    target, count = folder / layout / table, max(1, round(files * share))

    def load() -> None:
        rows = read(spark, generated(scale), table, schema)
        # The generator's order is that of tickets and orders.
        ticket = next(name for name in rows.columns if name.endswith(("ticket_number", "order_number")))
        rows.repartitionByRange(count, ticket).sortWithinPartitions(ticket).write.format("delta").save(str(target))

    def cluster() -> None:
        _clustered(spark, layout, folder / LOADED / table, target, columns, count)

    _once(target, load if layout == LOADED else cluster)


def _once(target: Path, make: Callable[[], None]) -> None:
    """Makes a table unless all of it is there."""
    if not (target / "_complete").exists():
        shutil.rmtree(target, ignore_errors=True)
        make()
        (target / "_complete").touch()


def _clustered(
    spark: SparkSession, layout: str, source: Path, target: Path, columns: tuple[str, ...], count: int
) -> None:
    size = sum(path.stat().st_size for path in source.glob("*.parquet")) // count
    # A table of Delta has no path of its own in its log.
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("_complete"))
    optimize(spark, f"delta.`{target}`", f"ZORDER BY ({', '.join(columns)})", size, ours=layout == OURS)


def _by_one(spark: SparkSession, folder: Path, files: int) -> None:
    target = folder / OURS / BY_ONE
    source = folder / LOADED / "store_sales"
    _once(target, lambda: _clustered(spark, OURS, source, target, ("ss_ticket_number",), files))
    spark.sql(f"CREATE TABLE {database(OURS)}.{BY_ONE} USING delta LOCATION '{target}'")


def _built(spark: SparkSession, layout: str, fact: str) -> Built:
    detail = spark.sql(f"DESCRIBE DETAIL {database(layout)}.{fact}").head()
    return Built(layout, fact, detail["numFiles"], detail["sizeInBytes"])
