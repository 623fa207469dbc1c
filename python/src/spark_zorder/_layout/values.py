# SPDX-License-Identifier: Apache-2.0

"""Bounds of files, which come as text: what kind of value they are, how they compare, where they stand on an axis."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql.types import DataType

# Texts of opaque values, such as binary ones and intervals, are in another order than the values.
Kind: TypeAlias = Literal["number", "date", "timestamp", "text", "opaque"]
# A whole number, a float or a text; those of one kind of value compare.
Key: TypeAlias = Any

MILLISECONDS_PER_DAY = 86_400_000

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?(Infinity|NaN)")
_DATE = re.compile(r"([+-]?\d{4,})-(\d\d)-(\d\d)")
_TIMESTAMP = re.compile(_DATE.pattern + r"[ T](\d\d):(\d\d):(\d\d)(\.\d+)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TEXTS = {"string", "char", "varchar", "boolean", "time"}
_NUMBERS = {"byte", "short", "integer", "long", "float", "double", "decimal", "tinyint", "smallint", "int", "bigint"}
# What a date axis can show; sentinels beyond are drawn at its ends.
_FIRST_YEAR, _LAST_YEAR = 1, 9999


def kind_of_type(data_type: DataType) -> Kind:
    """Returns the kind of values of a Spark type; texts, booleans and times of a day are drawn as text.

    Example:
        >>> from pyspark.sql.types import DecimalType, StringType
        >>> kind_of_type(DecimalType(10, 2)), kind_of_type(StringType())
        ('number', 'text')
    """
    name = data_type.typeName().split("(")[0]
    if name in _NUMBERS:
        return "number"
    if name == "date":
        return "date"
    if name.startswith("timestamp"):
        return "timestamp"
    return "text" if name.split()[0] in _TEXTS else "opaque"


def kind_of_bounds(bounds: Iterable[tuple[str, str]]) -> Kind:
    """Returns the kind of values that pairs of a low and a high bound look like.

    Digits may be strings. They are taken for numbers unless a low bound is then above its high one: '9' is below '10'
    among numbers only.

    Example:
        >>> kind_of_bounds([("1", "10")]), kind_of_bounds([("10", "9")]), kind_of_bounds([("2013-01-01", "2013-02-01")])
        ('number', 'text', 'date')
    """
    pairs = list(bounds)
    texts = [text for pair in pairs for text in pair]
    shapes: tuple[tuple[Kind, re.Pattern[str]], ...] = (("number", _NUMBER), ("date", _DATE), ("timestamp", _TIMESTAMP))
    for kind, pattern in shapes:
        if texts and all(pattern.fullmatch(text) for text in texts):
            return kind if all(key(kind, low) <= key(kind, high) for low, high in pairs) else "text"
    return "text"


def key(kind: Kind, text: str) -> Key:
    """Returns what values of the kind compare by, as Spark compares them: NaN is above all, text goes by code point.

    Example:
        >>> key("number", "12"), key("number", "NaN"), key("date", "1970-01-02"), key("text", "a")
        (12, inf, 86400000.0, 'a')
    """
    if kind in ("text", "opaque"):
        return text
    if kind == "number":
        if re.fullmatch(r"[+-]?\d+", text):
            return int(text)
        return math.inf if text.endswith("NaN") else float(text)
    match = _TIMESTAMP.fullmatch(text) or _DATE.fullmatch(text)
    return _milliseconds(*match.groups(default="0")) if match else 0.0


def _milliseconds(
    year: str, month: str, day: str, hour: str = "0", minute: str = "0", second: str = "0", fraction: str = "0"
) -> float:
    if int(year) < _FIRST_YEAR:
        return -(timedelta(days=_EPOCH.toordinal() - 1) / timedelta(milliseconds=1))
    if int(year) > _LAST_YEAR:
        year, month, day = str(_LAST_YEAR), "12", "31"
    moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=timezone.utc)
    return (moment - _EPOCH) / timedelta(milliseconds=1) + float(f"0{fraction}" if fraction[0] == "." else 0) * 1000


def is_whole(bounds: Iterable[tuple[str, str]]) -> bool:
    """Whether all bounds are written as whole numbers."""
    return all(re.fullmatch(r"[+-]?\d+", text) for pair in bounds for text in pair)
