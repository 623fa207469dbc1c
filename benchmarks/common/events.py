# SPDX-License-Identifier: Apache-2.0

"""The generated events: every value is a hash of the row's number, so that the table is the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

USERS = 1_000_000
ITEMS = 1_000_000
COUNTRIES = 200
_YEAR_MICROS = 365 * 86_400 * 1_000_000
_2026_MICROS = 1_767_225_600_000_000


def events(spark: SparkSession, rows: int, files: int) -> DataFrame:
    """Events in random order, in as many partitions as files; about 70 bytes a row when compressed.

    A user's share of the rows falls with the power 2/3 of the user's place, from 1 % for the first of a million; so
    does a country's, from 17 % for the first of 200. Places lie around the centre of their country.
    """
    drawn = spark.range(0, rows, 1, files).selectExpr(
        "id",
        f"cast({COUNTRIES} * pow({_uniform(4)}, 3) AS int) AS nation",
    )
    return drawn.selectExpr(
        f"1 + cast({USERS} * pow({_uniform(1)}, 3) AS bigint) AS user_id",
        f"1 + cast({ITEMS} * {_uniform(2)} AS bigint) AS item_id",
        f"timestamp_micros({_2026_MICROS} + cast({_YEAR_MICROS} * {_uniform(3)} AS bigint)) AS event_time",
        # 73 and 200 have no common divisor: frequent countries do not stand together in the alphabet.
        "concat(char(65 + nation * 73 % 200 div 26), char(65 + nation * 73 % 200 % 26)) AS country",
        # No decimal: Iceberg's z-order does not take them.
        f"round(pow(10, 4 * {_uniform(5)}), 2) AS price",
        f"pmod(xxhash64(nation, 11), 120) - 60 + 8 * ({_uniform(6)} + {_uniform(7)} - 1) AS latitude",
        f"pmod(xxhash64(nation, 12), 340) - 170 + 8 * ({_uniform(8)} + {_uniform(9)} - 1) AS longitude",
        "substr(hex(xxhash64(id, 13)), 1, 12) AS session",
        f"concat('/catalogue/page-', cast(20000 * {_uniform(14)} AS int)) AS page",
        f"1 + cast(8 * pow({_uniform(15)}, 2) AS int) AS quantity",
        f"cast(60000 * {_uniform(16)} AS int) AS milliseconds",
    )


def _uniform(seed: int) -> str:
    """SQL of a number in [0, 1) with 53 random bits."""
    return f"(shiftrightunsigned(xxhash64(id, {seed}), 11) * {2.0**-53!r}D)"
