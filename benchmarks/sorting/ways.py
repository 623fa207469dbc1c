# SPDX-License-Identifier: Apache-2.0

"""The ways to write a table, and their SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Way:
    """A way to write a table.

    Attributes:
        name: what `--ways` and the results call it.
        label: what the report calls it.
        system: whose session runs it: `zorder`, `delta` or `iceberg`.
        order: the table's properties beside the columns, where they order it.
        clause: of CREATE TABLE, after the format; `{columns}` stands for the columns.
        alter: what follows ALTER TABLE before there are rows; likewise.
        then: a statement that is timed with the INSERT, after it; `{table}` stands for the table.
        is_zorder: whether it is our z-order.
        is_global: whether all files together have the order.
    """

    name: str
    label: str
    system: str
    order: Mapping[str, str] | None = None
    clause: str = ""
    alter: str = ""
    then: str = ""
    is_zorder: bool = False
    is_global: bool = False

    @property
    def against(self) -> str:
        """The way without an order, of the same format and Spark, beside which its cost is set."""
        return "unsorted" if self.system == "zorder" else f"{self.system}-unsorted"

    @property
    def format(self) -> str:
        """The table's format."""
        return "parquet" if self.system == "zorder" else self.system


_ZORDER = {"sort.order": "ZORDER"}
_CLUSTERED = "CLUSTER BY ({columns})"

_ALL = (
    Way("unsorted", "unsorted", "zorder"),
    Way("lexical", "lexical", "zorder", {"sort.order": "LEXICAL"}),
    Way("local", "z-order, local, by ranks", "zorder", _ZORDER, is_zorder=True),
    Way("raw", "z-order, local, raw", "zorder", _ZORDER | {"sort.key": "raw"}, is_zorder=True),
    Way("global", "z-order, global", "zorder", _ZORDER | {"sort.scope": "global"}, is_zorder=True, is_global=True),
    Way("delta-unsorted", "Delta, unsorted", "delta"),
    Way("delta-written", "Delta, CLUSTER BY, as written", "delta", clause=_CLUSTERED),
    Way("delta-optimized", "Delta, CLUSTER BY, then OPTIMIZE", "delta", clause=_CLUSTERED, then="OPTIMIZE {table}"),
    Way("iceberg-unsorted", "Iceberg, unsorted", "iceberg"),
    Way("iceberg-local", "Iceberg, WRITE LOCALLY ORDERED BY", "iceberg", alter="WRITE LOCALLY ORDERED BY {columns}"),
    Way("iceberg-global", "Iceberg, WRITE ORDERED BY", "iceberg", alter="WRITE ORDERED BY {columns}"),
)

WAYS = {way.name: way for way in _ALL}


@dataclass(frozen=True)
class Statements:
    """What makes a table: `prepare` makes it empty, `timed` fills it."""

    prepare: list[str]
    timed: list[str]


def statements(
    way: Way, table: str, schema: str, columns: Sequence[str], source: str, more: Mapping[str, str]
) -> Statements:
    """The SQL of one way.

    Args:
        way: the way.
        table: name of the table; it is dropped first.
        schema: its columns with their types.
        columns: those that it is ordered by.
        source: name of the view with the rows.
        more: properties of the table that have nothing to do with its order.
    """
    listed = ", ".join(columns)
    properties = dict(more)
    if way.order is not None:
        properties |= {"sort.columns": ",".join(columns)} | way.order
    texts = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    create = [f"CREATE TABLE {table} ({schema}) USING {way.format}"]
    if way.clause:
        create.append(way.clause.format(columns=listed))
    if texts:
        create.append(f"TBLPROPERTIES ({texts})")
    prepare = [f"DROP TABLE IF EXISTS {table}", " ".join(create)]
    if way.alter:
        prepare.append(f"ALTER TABLE {table} {way.alter.format(columns=listed)}")
    then = [way.then.format(table=table)] if way.then else []
    return Statements(prepare, [f"INSERT INTO {table} SELECT * FROM {source}", *then])
