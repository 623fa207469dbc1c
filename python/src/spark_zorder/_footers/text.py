# SPDX-License-Identifier: Apache-2.0

"""Values as Spark prints them: what `CAST(value AS STRING)` returns."""

from __future__ import annotations

import datetime as dt
import os
import struct
from decimal import Decimal
from zoneinfo import ZoneInfo

from spark_zorder._footers.doubt import NotCertain

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
# From here on calendars and time zones do not differ between programs.
_FIRST_SAFE = dt.date(1901, 1, 1)
# Between these all versions of Java print the shortest digits; elsewhere those before 19 print more (JDK-4511638).
_DOUBLES, _FLOATS = (1e-300, 1e16), (1e-36, 1e7)


def double(value: float) -> str:
    """Returns a DOUBLE by Java's rule: the shortest digits that tell it, with an exponent from 10,000,000 on.

    Raises:
        NotCertain: versions of Java print it differently.

    Example:
        >>> double(1.0), double(1e7), double(0.00012), double(-0.0), double(float("nan"))
        ('1.0', '1.0E7', '1.2E-4', '-0.0', 'NaN')
    """
    return _java(value, repr(value), _DOUBLES)


def single(value: float) -> str:
    """Returns a FLOAT, as `double`.

    Example:
        >>> single(struct.unpack("f", struct.pack("f", 0.1))[0])
        '0.1'
    """
    if value != value or value in (float("inf"), float("-inf")):
        return _java(value, "", _FLOATS)
    wanted = struct.pack("f", value)
    shortest = next(text for digits in range(1, 10) if struct.pack("f", float(text := f"{value:.{digits}g}")) == wanted)
    return _java(value, shortest, _FLOATS)


def _java(value: float, digits: str, safe: tuple[float, float]) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value != 0 and not safe[0] <= abs(value) < safe[1]:
        raise NotCertain("Java 17 and 19 print different digits of a number as large or as small")
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        plain = f"{Decimal(digits):f}"
        whole, _, fraction = plain.partition(".")
        return f"{whole}.{fraction.rstrip('0') or '0'}"
    sign, figures, exponent = Decimal(digits).normalize().as_tuple()
    power = len(figures) - 1 + int(exponent)
    rest = "".join(map(str, figures[1:])) or "0"
    return f"{'-' if sign else ''}{figures[0]}.{rest}E{power}"


def decimal(unscaled: int, scale: int) -> str:
    """Returns a DECIMAL.

    Example:
        >>> decimal(1234, 2), decimal(0, 8)
        ('12.34', '0E-8')
    """
    digits = tuple(map(int, str(abs(unscaled))))
    return str(Decimal((int(unscaled < 0), digits, -scale)))


def characters(value: bytes) -> str:
    """Returns a STRING or BINARY."""
    return value.decode()


def date(days: int) -> str:
    """Returns a DATE.

    Example:
        >>> date(0)
        '1970-01-01'
    """
    return _checked(_EPOCH + dt.timedelta(days=days)).date().isoformat()


def date_and_time(micros: int) -> str:
    """Returns a TIMESTAMP_NTZ.

    Example:
        >>> date_and_time(0), date_and_time(1_500_000)
        ('1970-01-01 00:00:00', '1970-01-01 00:00:01.5')
    """
    return _time(_EPOCH + dt.timedelta(microseconds=micros))


def instant(micros: int) -> str:
    """Returns a TIMESTAMP in the zone of this machine, which is that of a session."""
    zone = os.environ.get("TZ")
    return _time((_EPOCH + dt.timedelta(microseconds=micros)).astimezone(ZoneInfo(zone) if zone else None))


def _time(value: dt.datetime) -> str:
    whole = _checked(value).strftime("%Y-%m-%d %H:%M:%S")
    return f"{whole}.{value.microsecond:06}".rstrip("0") if value.microsecond else whole


def _checked(value: dt.datetime) -> dt.datetime:
    if value.date() < _FIRST_SAFE:
        raise NotCertain("a time is too old to be the same in all calendars")
    return value
