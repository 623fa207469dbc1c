# SPDX-License-Identifier: Apache-2.0

"""Values of results as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Row


def jsonable(value: object) -> Any:  # noqa: ANN401 - JSON's own types
    """Returns a value of Spark's as JSON has it: rows as objects, what JSON does not know as text, NaN as null."""
    if isinstance(value, Row):
        return {key: jsonable(item) for key, item in value.asDict().items()}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, Sequence):
        return [jsonable(item) for item in value]
    return str(value)
