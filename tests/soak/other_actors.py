# SPDX-License-Identifier: Apache-2.0

"""Drivers that rewrite tables, and those that compare what they read with the writers' records."""

from __future__ import annotations

import json

from actor import GONE, REFUSED, Actor
from records import History, Rows, matches

ZORDER = "ZORDER BY (a, b) OPTIONS (target_file_size = '16k'"
# A folder whose files another deletes while it is looked at.
IN_PASSING = (*GONE["parquet"], "ZORDER_UNREADABLE_FILE", "ZORDER_PATH_NOT_FOUND")


class Optimizer(Actor):
    """Runs full and incremental rewrites of both tables and, for Parquet, ANALYZE."""

    def step(self) -> None:
        table_format = self.chance.choice(["delta", "parquet"])
        table = self.table(table_format)
        where = self.chance.choice(["", "", f"WHERE w = {self.chance.randint(1, 8)} "])
        kinds = {
            "full": f"OPTIMIZE {table} {where}{ZORDER}, force = true)",
            "incremental": f"OPTIMIZE {table} {where}{ZORDER}, mode = 'incremental')",
        }
        if table_format == "parquet":
            kinds["analyze"] = f"ANALYZE TABLE {table} COMPUTE FILE STATISTICS"
        kind = self.chance.choice([*kinds, "incremental"])
        allowed = REFUSED if table_format == "delta" else (*REFUSED, *IN_PASSING)
        self.attempt(f"{kind} {table_format}", lambda: self.spark.sql(kinds[kind]).collect(), allowed)


class Reader(Actor):
    """Compares what it reads with all writers' records."""

    def step(self) -> None:
        table_format = self.chance.choice(["delta", "parquet"])
        writer = self.chance.choice(json.loads((self.folder / "writers.json").read_text())[table_format])
        path = self.folder / f"record-{writer}"
        before, found = History.read(path), list[Rows]()
        kind = f"read {table_format}"
        if not self.attempt(kind, lambda: found.append(self.rows_of(table_format, writer)), GONE[table_format]):
            return
        after = History.read(path)
        if not matches(found[0], before, after, is_atomic=table_format == "delta"):
            raise self.unlike(f"{table_format} of {writer}, after {after.last}", after.states[-1], found[0])
        self.counts["rows compared"] += found[0].total()
