# SPDX-License-Identifier: Apache-2.0

"""The two that carry out `OPTIMIZE ... ZORDER BY`, and the tables that tests give to both."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Row, SparkSession

MAX_FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"

# Columns of every kind of distribution, from the `id` of a range; the same rows in every run.
EVENTS = """id, CAST(pmod(xxhash64(id), 64) AS INT) AS a, pmod(xxhash64(id, 1), 1000) / 8.0D AS b,
    concat('user-', pmod(xxhash64(id, 2), 50)) AS c, DATE_ADD(DATE'2024-01-01', CAST(id % 3 AS INT)) AS day"""


@dataclass(frozen=True)
class Side:
    """A session in which statements and API are carried out by one of the two."""

    session: SparkSession
    is_ours: bool

    def choose(self, delta: Any, ours: Any) -> Any:
        """What is expected of this side, where the two differ on purpose."""
        return ours if self.is_ours else delta

    def sql(self, statement: str, **parameters: Any) -> list[Row]:
        return self.session.sql(statement, args=parameters).collect() if parameters else self.collect(statement)

    def collect(self, statement: str) -> list[Row]:
        return self.session.sql(statement).collect()

    @contextmanager
    def conf(self, settings: Mapping[str, str]) -> Iterator[None]:
        before = {key: self.session.conf.get(key, None) for key in settings}
        for key, value in settings.items():
            self.session.conf.set(key, value)
        try:
            yield
        finally:
            for key, old in before.items():
                if old is None:
                    self.session.conf.unset(key)
                else:
                    self.session.conf.set(key, old)


@dataclass(frozen=True)
class Table:
    """A Delta table, by name."""

    side: Side
    name: str

    def create(self, columns: str, end: str = "", properties: Mapping[str, str] | None = None) -> Table:
        """Creates it with these columns; `end` holds PARTITIONED BY and the like."""
        pairs = ", ".join(f"'{k}' = '{v}'" for k, v in (properties or {}).items())
        self.side.sql(
            f"CREATE TABLE {self.name} ({columns}) USING delta {end} {f'TBLPROPERTIES ({pairs})' * bool(pairs)}"
        )
        return self

    def of_events(self, end: str = "", properties: Mapping[str, str] | None = None, rows: int = 300) -> Table:
        """Creates it with `EVENTS`, in two appends of two files (in each partition)."""
        self.create("id BIGINT, a INT, b DOUBLE, c STRING, day DATE", end, properties)
        return self.append(EVENTS, 0, rows // 2).append(EVENTS, rows // 2, rows)

    def append(self, select: str, start: int, end: int) -> Table:
        self.side.sql(f"INSERT INTO {self.name} SELECT {select} FROM range({start}, {end})")
        return self

    def sql(self, statement: str, **parameters: Any) -> list[Row]:
        """Runs a statement in which `{t}` stands for the name."""
        return self.side.sql(statement.replace("{t}", self.name), **parameters)

    def rows(self, select: str = "*", version: int | None = None, where: str = "") -> Counter[str]:
        """All rows as a multiset, now or at a version."""
        at = "" if version is None else f" VERSION AS OF {version}"
        return Counter(repr(row) for row in self.sql(f"SELECT {select} FROM {{t}}{at} {where and 'WHERE ' + where}"))

    def changes(self) -> Counter[str]:
        """The change data feed from the first version on."""
        return Counter(repr(row) for row in self.sql("SELECT * FROM table_changes('{t}', 0)"))

    @cached_property
    def location(self) -> Path:
        return local(self.side.session.conf.get("spark.sql.warehouse.dir")) / self.name

    @property
    def version(self) -> int:
        return max(int(file.stem) for file in (self.location / "_delta_log").glob("*.json") if file.stem.isdigit())

    @property
    def files(self) -> set[Path]:
        return {local(file) for file in self.side.session.table(self.name).inputFiles()}

    @property
    def last(self) -> dict[str, Any]:
        """What the newest version says of itself: operation, parameters, metrics."""
        return self.actions("commitInfo")[0]

    def actions(self, kind: str, version: int | None = None) -> list[dict[str, Any]]:
        """Actions (`add`, `remove`, `commitInfo` ...) of a version, by default the newest, as the log has them."""
        number = self.version if version is None else version
        lines = (self.location / "_delta_log" / f"{number:020}.json").read_text(encoding="utf-8").splitlines()
        return [action[kind] for action in map(json.loads, lines) if kind in action]

    def statistics(self) -> list[dict[str, Any]]:
        """Statistics of the files that the newest version adds."""
        return [json.loads(add["stats"]) for add in self.actions("add")]

    def optimize(self, columns: str, where: str = "", files: int | None = None, select: str = "*") -> Row:
        """Z-orders it, into about so many files, in one commit that leaves all rows as they are.

        Before and after, now and by time travel, the same rows are there as often.
        """
        before, version = self.rows(select), self.version
        size = sum(file.stat().st_size for file in self.files) // files if files else 2**30
        with self.side.conf({MAX_FILE_SIZE: str(size)}):
            (result,) = self.sql(f"OPTIMIZE {{t}} {f'WHERE {where}' * bool(where)} ZORDER BY ({columns})")
        assert self.rows(select) == before
        assert self.version == version + 1
        assert self.rows(select, version) == before
        return result


def local(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))
