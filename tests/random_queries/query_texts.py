# SPDX-License-Identifier: Apache-2.0

"""Random texts of joins, subqueries, first rows and statements, by a generator of chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from random_tables import COLUMNS, FACTS

if TYPE_CHECKING:
    import random

_ALL = ", ".join(COLUMNS)
_LARGEST = ", ".join(f"max({name}) AS {name}" for name in COLUMNS)
_JOINS = ("JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_HINTS = ("", "", "/*+ BROADCAST(a) */", "/*+ BROADCAST(b) */", "/*+ MERGE(a) */", "/*+ SHUFFLE_HASH(b) */")


def _as_ordered(value: str, column: str) -> str:
    """The value without the sign of zero: -0.0 and 0.0 are equal in order, so that either may be the first row."""
    return f"{value} + 0.0D" if column == "d" else value


class QueryTexts:
    """Texts over the views of `random_tables`; rows of equal keys are never told apart by what is asked of them."""

    def __init__(self, chance: random.Random) -> None:
        """Texts by the numbers of `chance`."""
        self._chance = chance

    def query(self) -> str:
        """A query."""
        side, column, hint = self._side(), self._column(), self._one_of(*_HINTS)
        columns, join = ", ".join(f"a.{name}" for name in COLUMNS), self._one_of(*_JOINS)
        below, on = self._below(), self._on()
        return self._one_of(
            f"SELECT {hint} a.id, {columns}, b.v FROM {below} a {join} {side} b ON {on} "
            f"WHERE {self._filter('a')} AND {self._filter('b')}",
            f"SELECT {hint} a.id, b.v FROM {side} b {join} {below} a ON {on}",
            f"SELECT {hint} a.id, a.v FROM {below} a {self._one_of('LEFT SEMI', 'LEFT ANTI')} JOIN {side} b ON {on}",
            f"SELECT a.id, a.v FROM {below} a WHERE {self._filter('a')} "
            f"AND a.{column} {self._one_of('IN', 'IN', 'NOT IN')} "
            f"(SELECT b.{self._one_of(column, column, self._column())} FROM {side} b WHERE {self._filter('b')})",
            f"SELECT a.id, a.v FROM {below} a WHERE {self._one_of('EXISTS', 'NOT EXISTS')} "
            f"(SELECT 1 FROM {side} b WHERE {on})",
            f"SELECT a.id, a.v FROM {below} a WHERE a.{column} {self._one_of('=', '>=', '<')} "
            f"(SELECT {self._one_of('min', 'max')}(b.{column}) FROM {side} b WHERE {self._filter('b')})",
            f"SELECT a.id, b.v, c.v FROM {below} a JOIN {side} b ON {on} JOIN {self._side()} c ON {self._on('c')} "
            f"WHERE {self._filter('c')}",
            f"WITH q AS (SELECT * FROM {self._fact()} WHERE {self._filter('')}) "
            f"SELECT a.id, b.v FROM q a JOIN q b ON {on}",
            f"SELECT a.p, count(*), sum(a.v) FROM {below} a JOIN {side} b ON {on} GROUP BY a.p",
            self._first_rows(),
            self._first_rows(),
            f"SELECT {_as_ordered(f'min(a.{column})', column)}, {_as_ordered(f'max(a.{column})', column)} "
            f"FROM {below} a WHERE {self._filter('a')}",
            f"SELECT a.id FROM {self._fact()} a WHERE {self._filter('a')} AND {self._filter('a')}",
        )

    def change(self) -> str:
        """A statement that changes the Delta table `{t}`, whose outcome no order of rows decides."""
        numbered = "*, row_number() OVER (PARTITION BY id ORDER BY v) AS r"
        source = f"(SELECT {numbered} FROM {self._side()} WHERE {self._filter('')})"
        delete = f"WHEN MATCHED AND {self._filter('g')} THEN DELETE "
        insert = "WHEN NOT MATCHED THEN INSERT (id, v, l, t, p) VALUES (u.id + 1000, u.v, u.l, u.t, u.p) "
        on = self._one_of(
            "g.id = u.id", f"g.{self._column()} = u.{self._column()} AND g.id = u.id", "g.id = u.id AND g.v >= u.v"
        )
        where = self._filter("g")
        not_matched = f"WHEN NOT MATCHED BY SOURCE AND {where} THEN UPDATE SET g.i = 5 "
        return self._one_of(
            f"MERGE INTO {{t}} g USING (SELECT * FROM {source} WHERE r = 1) u ON {on} "
            f"{self._one_of('', delete)}WHEN MATCHED THEN UPDATE SET g.v = u.v + 1, g.l = u.l "
            f"{self._one_of('', insert)}{self._one_of('', '', not_matched)}",
            f"UPDATE {{t}} g SET i = v % 17, t = concat('c', v) WHERE {where} AND g.id % 5 = {self._number(5)}",
            f"DELETE FROM {{t}} g WHERE {where} AND g.id % 11 = {self._number(11)}",
            f"INSERT INTO {{t}} (id, v, l, t, p) SELECT id + 2000, v, l, t, p FROM {self._side()}",
        )

    def _one_of(self, *texts: str) -> str:
        return texts[self._chance.randrange(len(texts))]

    def _number(self, most: int) -> int:
        return self._chance.randrange(most)

    def _fact(self) -> str:
        return self._one_of(*FACTS)

    def _side(self) -> str:
        return self._one_of("small", "few", "small", "few", f"(SELECT * FROM {self._fact()} WHERE {self._filter('')})")

    def _column(self) -> str:
        return self._one_of(*COLUMNS)

    def _first_rows(self) -> str:
        columns = [self._column() for _ in range(self._chance.choice((1, 1, 2)))]
        keys = {f"a.{column}": _as_ordered(f"a.{column}", column) for column in columns}
        if self._number(4) == 0:
            v = self._number(300)
            functions = ("-a.l", f"coalesce(a.i, {v})", f"a.i * 2 - {v}", "month(a.y)", "date(a.m)", "5 - a.v")
            function = self._one_of(*functions)
            keys = {function: function, **keys}
        order = ", ".join(
            f"{k} {self._one_of('', 'DESC')} {self._one_of('', 'NULLS FIRST', 'NULLS LAST')}" for k in keys
        )
        asked = ", ".join(f"{value} AS k{number}" for number, value in enumerate(keys.values()))
        return (
            f"SELECT {asked} FROM {self._below()} a WHERE {self._filter('a')} AND {self._filter('a')} ORDER BY {order} "
            f"LIMIT {1 + self._number(30)} {self._one_of('', '', 'OFFSET 3')}"
        )

    def _filter(self, of: str) -> str:
        c = f"{of}." if of else ""
        v, w = self._number(300), self._number(300)
        day = f"date_add(DATE'2024-01-01', {v})"
        return self._one_of(
            "true",
            "true",
            f"{c}v < {v}",
            f"{c}i BETWEEN {self._number(60)} AND {v}",
            f"{c}{self._column()} IS {self._one_of('', 'NOT ')}NULL",
            f"{c}t LIKE '{self._one_of('a', 'b', 'c1', 'd')}%'",
            f"{c}u >= concat(repeat('ab', 17), lpad({v}, 4, '0'))",
            f"substr({c}t, 1, 2) = 'b{self._number(10)}'",
            f"{c}id % 3 = 0",
            f"{c}p = {self._number(4)}",
            f"date({c}m) = DATE'1970-01-{1 + self._number(12):02d}'",
            f"date_trunc('DAY', {c}z) >= TIMESTAMP_NTZ'1970-01-{1 + self._number(12):02d} 00:00:00'",
            f"year({c}y) = {2023 + self._number(3)} AND month({c}y) = {1 + self._number(12)}",
            f"cast({c}y AS timestamp) < cast({day} AS timestamp)",
            f"{c}l + 1 > {v}",
            f"{c}l * -2 < {-v}",
            f"floor({c}d) = {self._number(75)}",
            f"coalesce({c}i, {v}) = {v}",
            f"{c}s.x = {v}",
            f"{c}s.y > 'c{self._number(9)}'",
            f"{c}d = double('NaN')",
            f"{c}d {self._one_of('<', '>=', '=')} {self._one_of('0.0D', '-0.0D', f'{v / 4}D')}",
            f"{c}f <> {v}",
            f"{c}h IN ({v % 100}, {w % 100}, NULL)",
            f"cast({c}t AS string) <=> 'a{v}'",
            f"NOT ({c}n < {v} OR {c}w > {w}BD * 1000000000000)",
            f"{c}b",
            f"({c}i < {self._number(30)} OR {c}y > {day})",
        )

    def _below(self) -> str:
        fact, c = self._fact(), self._column()
        return self._one_of(
            f"(SELECT * FROM {fact})",
            f"(SELECT * FROM {fact})",
            fact,
            fact,
            f"(SELECT id, v + 0 AS v, p, s, {_ALL} FROM {fact} x WHERE {self._filter('x')})",
            f"(SELECT * FROM {fact} UNION ALL SELECT * FROM {fact})",
            f"(SELECT x.* FROM {fact} x LEFT JOIN {self._side()} k ON x.{c} = k.{c})",
            f"(SELECT x.* FROM {fact} x LEFT ANTI JOIN {self._side()} k ON x.l = k.l)",
            f"(SELECT DISTINCT * FROM {fact})",
            f"(SELECT max(id) AS id, v, max(p) AS p, max(s) AS s, {_LARGEST} FROM {fact} GROUP BY v)",
            f"(SELECT id, v, p, s, {_ALL} FROM (SELECT *, count(*) OVER (PARTITION BY v) AS c FROM {fact}) "
            "WHERE c > 1)",
        )

    def _on(self, b: str = "b") -> str:
        x, y = self._column(), self._column()
        return self._one_of(
            f"a.{x} = {b}.{x}",
            f"a.{x} = {b}.{x}",
            f"a.{x} = {b}.{x} AND a.{y} = {b}.{y}",
            f"a.{x} <=> {b}.{x}",
            f"a.{x} = {b}.{x} AND a.v >= {b}.v",
            f"a.p = {b}.p AND a.{x} = {b}.{x}",
            f"a.l = {b}.i",
            f"a.i = {b}.n",
            f"a.h = {b}.l",
            f"a.s.x = {b}.l",
            f"a.y = date({b}.m)",
            f"a.z = {b}.m",
            f"cast(a.l AS double) = {b}.d",
            f"a.l + 1 = {b}.l",
            f"a.l * -2 = {b}.l - {self._number(500)}",
            f"coalesce(a.i, {self._number(60)}) = {b}.i",
            f"month(a.y) = {b}.h",
            f"5 - a.i = -{b}.i",
            f"a.v BETWEEN {b}.v AND {b}.v + 3",
            f"a.d >= {b}.d AND a.d < {b}.d + 3",
            f"a.u > {b}.u AND a.u < concat({b}.u, 'x')",
            f"a.{x} = {b}.{x} OR a.v = {b}.v",
        )
