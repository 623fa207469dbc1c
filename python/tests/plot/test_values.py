# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from datetime import datetime, timezone

import pytest
from pyspark.sql import types as T
from synthetic import clustered, row

from spark_zorder._layout.extents import axis_of
from spark_zorder._layout.values import Kind, key, kind_of_bounds, kind_of_type
from spark_zorder._numbers import percent_text, size_text
from spark_zorder.plot import extents
from spark_zorder.plot._outline import is_map, lines, within

DAY = 86_400_000


@pytest.mark.parametrize(
    ("data_type", "kind"),
    [
        (T.ByteType(), "number"),
        (T.LongType(), "number"),
        (T.DecimalType(20, 4), "number"),
        (T.FloatType(), "number"),
        (T.DateType(), "date"),
        (T.TimestampType(), "timestamp"),
        (T.TimestampNTZType(), "timestamp"),
        (T.StringType(), "text"),
        (T.BooleanType(), "text"),
        (T.BinaryType(), "opaque"),
        (T.DayTimeIntervalType(), "opaque"),
        (T.YearMonthIntervalType(), "opaque"),
        (T.VarcharType(5), "text"),
    ],
)
def test_kinds_of_types(data_type: T.DataType, kind: Kind) -> None:
    assert kind_of_type(data_type) == kind


@pytest.mark.parametrize(
    ("bounds", "kind"),
    [
        ([("-1.5E10", "Infinity"), ("0", "NaN")], "number"),
        ([("2013-01-01", "2013-12-31")], "date"),
        ([("0001-01-01", "9999-12-31"), ("-0044-03-15", "+10000-01-01")], "date"),
        ([("2013-01-01 00:00:00", "2013-01-01 00:00:00.123456")], "timestamp"),
        ([("a", "b")], "text"),
        ([("1", "b")], "text"),
        ([("10", "9")], "text"),
        ([], "text"),
    ],
)
def test_kinds_of_texts(bounds: list[tuple[str, str]], kind: Kind) -> None:
    assert kind_of_bounds(bounds) == kind


def test_keys() -> None:
    assert key("number", "9007199254740993") == 9007199254740993
    assert key("number", "NaN") == math.inf
    assert key("number", "-Infinity") == -math.inf
    moment = datetime(2013, 6, 1, 12, 30, 1, 500_000, tzinfo=timezone.utc)
    assert key("timestamp", "2013-06-01 12:30:01.5") == moment.timestamp() * 1000
    assert key("date", "1969-12-31") == -DAY
    # What a date axis cannot show stands at its ends.
    assert key("date", "-0044-03-15") == key("date", "0001-01-01")
    assert key("date", "+10000-01-01") == key("date", "9999-12-31")


def test_places_on_axes() -> None:
    rows = [
        row(file, column, low, high)
        for file, column, low, high in [
            ("a", "whole", "1", "4"),
            ("b", "whole", "5", "9"),
            ("a", "real", "0.5", "2.5"),
            ("b", "real", "2.5", "NaN"),
            ("a", "day", "2013-01-01", "2013-01-02"),
            ("b", "day", "2013-01-03", "2013-01-03"),
            ("a", "word", "a", "c"),
            ("b", "word", "b", "d"),
            ("a", "same", "7.5", "7.5"),
            ("b", "same", "7.5", "7.5"),
        ]
    ]
    found = extents(rows)

    def spans(column: str) -> list[tuple[float, float]]:
        axis = axis_of(column, [found])
        return [axis.span(*bounds) for file in found.files if (bounds := file.range_of(column))]

    # Files that end between two whole numbers, or days, do not touch.
    assert spans("whole") == [(0.5, 4.5), (4.5, 9.5)]
    assert spans("real") == [(0.5, 2.5), (2.5, 2.5)]
    (_, first_end), (second_start, second_end) = spans("day")
    assert first_end == second_start == second_end - DAY
    # On an axis of texts the distinct bounds have one place each.
    assert spans("word") == [(-0.5, 2.5), (0.5, 3.5)]
    axis = axis_of("same", [found])
    assert axis.low < 7.5 < axis.high
    start, end = axis.visible_span("7.5", "7.5")
    assert start < 7.5 < end


def test_maps_are_known_by_names_and_values() -> None:
    found = extents(clustered(4))
    lon, lat, day = (axis_of(column, [found]) for column in ("dest_lon", "dest_lat", "day"))
    assert is_map(lon, lat)
    assert not is_map(lat, lon)
    assert not is_map(day, lat)
    for x, y, yes in [
        ("pickupLongitude", "pickupLatitude", True),
        ("geo.lng", "geo.lat", True),
        ("along", "flat", False),
    ]:
        names = [row("a", x, "-10", "20"), row("a", y, "40", "60")]
        assert is_map(*(axis_of(column, [extents(names)]) for column in (x, y))) is yes
    far = [row("a", "lon", "-10", "2000"), row("a", "lat", "40", "60")]
    assert not is_map(*(axis_of(column, [extents(far)]) for column in ("lon", "lat")))


def test_the_outline_is_the_world() -> None:
    points = [point for kind in ("coasts", "borders") for line in lines(kind) for point in line]
    assert 10_000 < len(points) < 40_000
    assert -180.01 <= min(x for x, _ in points) < -179
    assert 179 < max(x for x, _ in points) <= 180.01
    assert 80 < max(y for _, y in points) < 90
    # Land's End, within a tenth of a degree.
    assert any(abs(x + 5.7) < 0.1 and abs(y - 50.07) < 0.1 for x, y in points)
    xs, ys = within("coasts", 0, 0.1, 0, 0.1)
    assert xs == ys == []


def test_numbers_for_people() -> None:
    assert [size_text(size).replace("\u00a0", " ") for size in (0, 999, 1000, 999_999, 12_400_000, 3e15)] == [
        "0 B",
        "999 B",
        "1.00 kB",
        "1.00 MB",
        "12.4 MB",
        "3.00 PB",
    ]
    assert [percent_text(share).replace("\u00a0", " ") for share in (0, 1, 0.5, 0.0004, 0.99996, 0.125)] == [
        "0 %",
        "100 %",
        "50 %",
        "0.04 %",
        "100 %",
        "12 %",
    ]
