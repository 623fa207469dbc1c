# SPDX-License-Identifier: Apache-2.0

"""Coasts and borders behind maps: Natural Earth (public domain), simplified by `scripts/make-plot-data`."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from importlib.resources import files
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spark_zorder._layout.axis import Axis

Line: TypeAlias = "list[tuple[float, float]]"

_STEPS_PER_DEGREE = 100
_LEAST_DEGREES = 2
_LONGITUDE = {"lon", "lng", "long", "longitude"}
_LATITUDE = {"lat", "latitude"}


def is_map(x: Axis, y: Axis) -> bool:
    """Whether the columns are longitude and latitude, by their names and values.

    A word of the name says so: `lon`, `dest_lon`, `pickupLongitude`, `geo.lng`.
    """
    return (
        x.kind == y.kind == "number"
        and bool(_words(x.column) & _LONGITUDE)
        and bool(_words(y.column) & _LATITUDE)
        and x.low >= -181
        and x.high <= 181
        and y.low >= -91
        and y.high <= 91
    )


def has_outline(x: Axis, y: Axis) -> bool:
    """Whether the columns are longitude and latitude of a region large enough for coasts and borders.

    Their lines are some kilometres off: on the map of a city they would cross its streets.
    """
    return is_map(x, y) and max(x.high - x.low, y.high - y.low) >= _LEAST_DEGREES


def _words(name: str) -> set[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return {word.lower() for word in re.split(r"[^A-Za-z]+", apart)}


@cache
def lines(kind: str) -> Sequence[Line]:
    """Returns all lines of a kind, `coasts` or `borders`, as points of longitude and latitude in degrees."""
    content = files("spark_zorder.plot").joinpath("data").joinpath("outline.json.gz").read_bytes()
    packed: dict[str, list[list[int]]] = json.loads(gzip.decompress(content))
    return [
        [
            (x / _STEPS_PER_DEGREE, y / _STEPS_PER_DEGREE)
            for x, y in zip(accumulate(steps[::2]), accumulate(steps[1::2]), strict=True)
        ]
        for steps in packed[kind]
    ]


def within(kind: str, west: float, east: float, south: float, north: float) -> tuple[list[float | None], ...]:
    """Returns what a box shows of the lines: longitudes and latitudes, with None between two lines.

    Example:
        >>> xs, ys = within("coasts", -10, 30, 35, 60)
        >>> len(xs) == len(ys) > 500
        True
    """
    xs: list[float | None] = []
    ys: list[float | None] = []
    for line in lines(kind):
        for part in _parts(line, west, east, south, north):
            xs += [*(x for x, _ in part), None]
            ys += [*(y for _, y in part), None]
    return xs, ys


def _parts(line: Line, west: float, east: float, south: float, north: float) -> Iterator[Line]:
    """The stretches of a line of which a segment can meet the box."""
    part: Line = []
    for start, end in pairwise(line):
        meets = (
            max(start[0], end[0]) >= west
            and min(start[0], end[0]) <= east
            and max(start[1], end[1]) >= south
            and min(start[1], end[1]) <= north
        )
        if meets:
            part = [*part, end] if part else [start, end]
        elif part:
            yield part
            part = []
    if part:
        yield part
