# SPDX-License-Identifier: Apache-2.0

"""Rows of `DESCRIBE LAYOUT EXTENDED` of tables that nobody has: flights, clustered and not."""

from __future__ import annotations

import datetime
import math
import random
from typing import Any

COLUMNS = ("dest_lon", "dest_lat", "day", "carrier")
WEST, EAST, SOUTH, NORTH = -124.0, -66.0, 25.0, 49.0
CARRIERS = ["9E", "AA", "B6", "DL", "EV", "UA", "US", "WN", "YV"]
SCRIPT = "<script>window.hacked = 1</script>"
# What a column may be called, and what a value may be, to harm a page.
HOSTILE = [SCRIPT, "</script><img src=x onerror='window.hacked = 1'>", "%{x} {{ 7 * 7 }} \"'`&lt;", "ünï → 漢字"]


def row(file: str, column: str, low: str | None, high: str | None, **others: Any) -> dict[str, Any]:
    """One row of the statement."""
    usual = {"partition": "", "rows": 7000, "bytes": 222_023, "row_groups": 1, "null_count": 0}
    return {"file": file, "column": column, "min": low, "max": high, **usual, **others}


def random_order(files: int, unknown: int = 0) -> list[dict[str, Any]]:
    """Files that hold nearly every value; the first have no bounds."""
    numbers = random.Random(1)
    rows = []
    for i in range(files):
        lon = (WEST + 3 * numbers.random(), EAST - 3 * numbers.random())
        lat = (SOUTH + 2 * numbers.random(), NORTH - 2 * numbers.random())
        bounds = [lon, lat, (_day(numbers.randrange(5)), _day(364 - numbers.randrange(5))), ("9E", "YV")]
        rows += _rows(i, bounds, numbers, known=i >= unknown)
    return rows


def clustered(files: int) -> list[dict[str, Any]]:
    """Files that tile the map."""
    numbers = random.Random(2)
    side = math.ceil(math.sqrt(files))
    width, height = (EAST - WEST) / side, (NORTH - SOUTH) / side
    rows = []
    for i in range(files):
        x, y = divmod(i, side)
        lon = (WEST + x * width, WEST + (x + 1) * width)
        lat = (SOUTH + y * height, SOUTH + (y + 1) * height)
        start = i * 275 // files
        carrier = i * (len(CARRIERS) - 1) // files
        bounds = [lon, lat, (_day(start), _day(start + 90)), (CARRIERS[carrier], CARRIERS[carrier + 1])]
        rows += _rows(i, bounds, numbers, known=True)
    return rows


def many_columns(columns: int, files: int) -> list[dict[str, Any]]:
    """As wide a table as can be drawn, with long names and values."""
    numbers = random.Random(3)
    return [
        row(
            f"year=2013/part-{i:05d}-{numbers.getrandbits(128):032x}.c000.zstd.parquet",
            f"a_rather_long_name_of_a_column_{c}",
            f"{'abc' * 30}{numbers.random()}",
            f"{'xyz' * 30}{numbers.random()}",
            bytes=round(10 ** (3 + 5 * numbers.random())),
        )
        for i in range(files)
        for c in range(columns)
    ]


def hostile() -> list[dict[str, Any]]:
    """Columns, files and values that are named to harm a page."""
    rows = []
    for i in range(6):
        for j, column in enumerate(HOSTILE):
            rows.append(row(f"{i}{HOSTILE[j]}.parquet", column, f"{i}{SCRIPT}", f"{i + 1}{HOSTILE[1]}"))
    return rows


def _rows(number: int, bounds: list[Any], numbers: random.Random, *, known: bool) -> list[dict[str, Any]]:
    name = f"part-{number:05d}-{numbers.getrandbits(128):032x}.c000.snappy.parquet"
    size, rows = 222_023 + numbers.randrange(60_000), 7000 + numbers.randrange(200)
    return [
        row(name, column, *((str(low), str(high)) if known else (None, None)), bytes=size, rows=rows)
        for column, (low, high) in zip(COLUMNS, bounds, strict=True)
    ]


def _day(number: int) -> str:
    return (datetime.date(2013, 1, 1) + datetime.timedelta(days=number)).isoformat()
