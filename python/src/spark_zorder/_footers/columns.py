# SPDX-License-Identifier: Apache-2.0

"""Columns of Parquet files: the types of which bounds are known, and how Spark orders and prints their values."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_zorder._footers import text
from spark_zorder._footers.doubt import NotCertain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# What Spark writes down beside a file's own schema.
SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
# A name that stands in SQL as it is.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTEGERS = {8: "byte", 16: "short", 32: "integer", 64: "long"}


@dataclass(frozen=True)
class StoredColumn:
    """A column, or a field of a struct, with statistics.

    Attributes:
        path: its name, behind those of the structs on the way.
        number: of the leaf in the file.
        kind: Spark's name for its type, as in its JSON.
        scale: digits behind the point of a decimal.
        millis: whether times are stored in milliseconds, not microseconds.
        has_bounds: whether files can have bounds of it: Spark's own timestamps, INT96, have none.
    """

    path: tuple[str, ...]
    number: int
    kind: str
    scale: int = 0
    millis: bool = False
    has_bounds: bool = True

    @property
    def name(self) -> str:
        """The column as users write it."""
        return ".".join(self.path)

    def key(self, value: Any) -> Any:  # noqa: ANN401
        """Returns what orders a stored value as Spark does: NaN is the largest, and -0.0 is 0.0."""
        if self.kind in ("float", "double"):
            return (True, 0.0) if value != value else (False, value + 0.0)
        return value

    def text(self, value: Any) -> str:  # noqa: ANN401
        """Returns a stored value as `CAST(... AS STRING)` prints it."""
        if self.kind.startswith("decimal"):
            return text.decimal(value, self.scale)
        return _TEXTS.get(self.kind, str)(value)

    @property
    def is_time(self) -> bool:
        """Whether its values are days or instants, which old writers counted otherwise."""
        return self.kind in ("date", "timestamp", "timestamp_ntz")


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    "boolean": lambda value: str(value).lower(),
    "float": text.single,
    "double": text.double,
    "string": text.characters,
    "binary": text.characters,
    "date": text.date,
    "timestamp": text.instant,
    "timestamp_ntz": text.date_and_time,
}


def columns_of(metadata: Any) -> list[StoredColumn]:  # noqa: ANN401 - pyarrow has no types
    """Returns the columns of a file, in its order, without those in lists and maps.

    Args:
        metadata: pyarrow's `FileMetaData`.

    Raises:
        NotCertain: a type or a name is none of those that are surely Spark's.
    """
    schema = metadata.schema
    _require_plain_names(schema.to_arrow_schema())
    found = []
    for number in range(len(schema)):
        leaf = schema.column(number)
        if leaf.max_repetition_level == 0:
            found.append(_column(tuple(leaf.path.split(".")), number, leaf))
    names = [column.name.lower() for column in found]
    if len(set(names)) < len(names):
        raise NotCertain("names differ by case alone")
    noted = (metadata.metadata or {}).get(SPARK_SCHEMA)
    if noted is not None:
        _require_noted(found, json.loads(noted))
    return found


def _require_plain_names(fields: Sequence[Any]) -> None:
    for field in fields:
        if not _NAME.fullmatch(field.name):
            raise NotCertain(f"{field.name!r} is a special name")
        inner = [field.type.field(i) for i in range(field.type.num_fields)]
        if {f.name for f in inner} >= {"metadata", "value"}:
            raise NotCertain(f"{field.name} may be a VARIANT")
        _require_plain_names(inner)


def _column(path: tuple[str, ...], number: int, leaf: Any) -> StoredColumn:  # noqa: ANN401
    logical = json.loads(leaf.logical_type.to_json())
    meaning, physical = logical["Type"], leaf.physical_type
    if meaning == "None":
        plain = {"BOOLEAN": "boolean", "INT32": "integer", "INT64": "long", "FLOAT": "float", "DOUBLE": "double"}
        if kind := {**plain, "BYTE_ARRAY": "binary"}.get(physical):
            return StoredColumn(path, number, kind)
        if physical == "INT96":
            return StoredColumn(path, number, "timestamp", has_bounds=False)
    elif meaning == "Int" and logical["isSigned"]:
        return StoredColumn(path, number, _INTEGERS[logical["bitWidth"]])
    elif meaning == "String" and physical == "BYTE_ARRAY":
        return StoredColumn(path, number, "string")
    elif meaning == "Date":
        return StoredColumn(path, number, "date")
    elif meaning == "Decimal":
        kind = f"decimal({logical['precision']},{logical['scale']})"
        return StoredColumn(path, number, kind, scale=logical["scale"])
    elif meaning == "Timestamp" and logical["timeUnit"] in ("milliseconds", "microseconds"):
        kind = "timestamp" if logical["isAdjustedToUTC"] else "timestamp_ntz"
        return StoredColumn(path, number, kind, millis=logical["timeUnit"] == "milliseconds")
    raise NotCertain(f"{'.'.join(path)} is of type {physical} ({meaning})")


def _require_noted(columns: Sequence[StoredColumn], noted: Any) -> None:  # noqa: ANN401
    """Spark's own words on a file must say the same: they also tell of types that Parquet has no word for."""
    leaves = dict(_leaves(noted, ()))
    for column in columns:
        if leaves.pop(column.path, None) != column.kind:
            raise NotCertain(f"Spark's metadata says otherwise of {column.name}")
    if leaves:
        raise NotCertain("Spark's metadata has further columns")


def _leaves(struct: Any, above: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:  # noqa: ANN401
    found = []
    for field in struct["fields"]:
        path, kind = (*above, field["name"]), field["type"]
        # Collations, and the lengths of CHAR and VARCHAR.
        if any(key.startswith("__") for key in field["metadata"]):
            raise NotCertain(f"{'.'.join(path)} is of a type that its metadata tells")
        if isinstance(kind, str):
            found.append((path, kind))
        elif kind["type"] == "struct":
            found += _leaves(kind, path)
        elif kind["type"] not in ("array", "map"):
            raise NotCertain(f"{'.'.join(path)} is of a user's type")
    return found
