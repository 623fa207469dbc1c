# SPDX-License-Identifier: Apache-2.0

"""One query as an example: a box on the map of two columns, and the files that it opens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from spark_zorder._layout.extents import axis_of
from spark_zorder._layout.values import Key, key
from spark_zorder._numbers import NBSP, bytes_of_total, count
from spark_zorder._quoting import quote_string
from spark_zorder.plot._outline import is_map
from spark_zorder.skipping import explain_skipping
from spark_zorder.table import ZOrderTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_zorder._layout.axis import Axis
    from spark_zorder._layout.extents import DataFile
    from spark_zorder._layout.source import Source
    from spark_zorder.plot._states import State

# The middle tenth of the rows by each column.
_LEAST, _MOST = 0.45, 0.55
_MOST_FILES_FOR_QUANTILES = 300
_RUNS = 3


@dataclass(frozen=True)
class Side:
    """A side of the box: the values, as texts, between which a column lies, both included."""

    axis: Axis
    low: str
    high: str

    def meets(self, file: DataFile) -> bool:
        """Whether a query must open the file, as far as this column tells; one of unknown bounds always."""
        bounds = file.range_of(self.axis.column)
        if bounds is None:
            return not file.has_no_value(self.axis.column)
        low, high, least, most = (self._key(text) for text in (self.low, self.high, *bounds))
        return bool(least <= high and most >= low)

    def condition(self) -> str:
        """The side in SQL."""
        low, high = (text if self.axis.kind == "number" else quote_string(text) for text in (self.low, self.high))
        return f"{self.axis.column} BETWEEN {low} AND {high}"

    def _key(self, text: str) -> Key:
        return key(self.axis.kind, text)


@dataclass(frozen=True)
class Opened:
    """What the query opens of a state; seconds where they were measured."""

    state: State
    files: Sequence[DataFile]
    seconds: float | None = None

    def words(self, *, past: bool = False) -> str:
        """As in `opens 5 of 42 files, reads 0.9 of 7.0 MB`; the bytes are those of the files."""
        opens, reads, takes = ("opened", "read", "took") if past else ("opens", "reads", "takes")
        files = count(len(self.state.extents.files), "file")
        size, unit = bytes_of_total(sum(file.size for file in self.files), self.state.extents.size).split(" ")
        text = f"{opens} {len(self.files):,} of {files}, {reads} {size.replace('/', ' of ')}{NBSP}{unit}"
        return text if self.seconds is None else f"{text}, {takes} {self.seconds:.2g}{NBSP}s"


@dataclass(frozen=True)
class Example:
    """A query of two columns, and what it opens of each state, the last of which is the table now."""

    x: Side
    y: Side
    opened: Sequence[Opened]

    @property
    def condition(self) -> str:
        """Its WHERE."""
        return f"{self.x.condition()} AND {self.y.condition()}"

    def sentence(self) -> str:
        """What it opens now, and before."""
        text = f"This query {self.opened[-1].words()}"
        return f"{text}; before, it {self.opened[0].words(past=True)}." if len(self.opened) > 1 else f"{text}."


def example_of(table: Source, before: Source | None, states: Sequence[State]) -> Example | str:
    """Returns a query of the first two columns in the middle of the rows; or in a sentence why there is none.

    Of a table EXPLAIN SKIPPING is asked, too, and must say the same, or nothing is shown. Where both states are tables
    the query is run on them, for its seconds.
    """
    extents = [state.extents for state in states]
    columns = [c for c in states[-1].extents.columns if all(e.with_bounds(c) for e in extents)][:2]
    if len(columns) < 2:
        known = f"known of {columns[0]} only" if columns else "known of no column"
        return (
            f"No query is drawn: it needs two columns with a least and a greatest value in the files; they are {known}."
        )
    x, y = (axis_of(column, extents) for column in columns)
    if is_map(y, x):
        x, y = y, x
    files = extents[-1].with_bounds(x.column, y.column)
    sides = _sides((x, y), files)
    if not any(all(side.meets(file) for side in sides) for file in files):
        # The middle of both columns is empty: the middle of a file is not.
        sides = _sides((x, y), sorted(files, key=lambda file: (file.rows or 0, file.path))[-1:])
    if len(sides) < 2:
        return f"No query is drawn: the middle of the rows by {x.column} and {y.column} is no finite value."
    example = Example(sides[0], sides[1], [_opened(state, sides) for state in states])
    sources: list[Source] = [table] if len(states) == 1 else [before, table]
    for source, opened in zip(sources, example.opened, strict=True):
        if isinstance(source, ZOrderTable) and (doubt := _doubt(source, example.condition, opened)):
            return f"No query is drawn: {doubt}."
    if not all(isinstance(source, ZOrderTable) for source in sources) or len(sources) < 2:
        return example
    timed = [
        Opened(opened.state, opened.files, _seconds(source, example.condition))
        for source, opened in zip(sources, example.opened, strict=True)
    ]
    return Example(example.x, example.y, timed)


def _opened(state: State, sides: Sequence[Side]) -> Opened:
    return Opened(state, [file for file in state.extents.files if all(side.meets(file) for side in sides)])


def _doubt(table: ZOrderTable, condition: str, opened: Opened) -> str:
    """How EXPLAIN SKIPPING says of the query something else than the ranges; empty where both agree."""
    try:
        rows = explain_skipping(table._spark, _query(table, condition)).collect()
    except PySparkException as error:
        return f"EXPLAIN SKIPPING of {condition} failed, {error}"
    found = [(row["files_read"], row["files_total"]) for row in rows]
    if found == [(len(opened.files), len(opened.state.extents.files))]:
        return ""
    files = len(opened.state.extents.files)
    ranges = f"by the ranges of the files {condition} opens {len(opened.files):,} of {count(files, 'file')}"
    if found == [(files, files)]:
        # As before the first OPTIMIZE of a folder.
        index = "ANALYZE TABLE ... COMPUTE FILE STATISTICS" if table.name.startswith("parquet.") else "their statistics"
        return f"{ranges}, but queries open them all: they learn the ranges from {index}"
    if any(read is None for read, _ in found):
        return f"{ranges}, and EXPLAIN SKIPPING cannot tell how many a query reads"
    said = " and ".join(f"{read:,} of {count(total, 'file')}" for read, total in found) or "none"
    # As where a bound in the footer is NaN, or was cut.
    return f"{ranges}, EXPLAIN SKIPPING says {said}"


def _seconds(table: ZOrderTable, condition: str) -> float:
    """The median of some runs that read all columns, and keep nothing."""
    taken = []
    for _ in range(_RUNS):
        start = perf_counter()
        table._spark.sql(_query(table, condition)).write.format("noop").mode("overwrite").save()
        taken.append(perf_counter() - start)
    return median(taken)


def _query(table: ZOrderTable, condition: str) -> str:
    return " ".join(["SELECT * FROM", table._name_for_spark(), "WHERE", condition])


def _sides(axes: Sequence[Axis], files: Sequence[DataFile]) -> list[Side]:
    return [side for axis in axes if files and (side := _side(axis, files))]


def _side(axis: Axis, files: Sequence[DataFile]) -> Side | None:
    """The middle of the files' rows along an axis, as if those of a file lay evenly in its range."""
    step = max(1, len(files) // _MOST_FILES_FOR_QUANTILES)
    spans = [(*axis.span(*bounds), file.rows or 1) for file in files[::step] if (bounds := file.range_of(axis.column))]
    low, high = (_quantile(spans, share, axis) for share in (_LEAST, _MOST))
    if axis.kind == "text":
        last = len(axis.texts) - 1
        return Side(axis, axis.texts[_place(low, last)], axis.texts[_place(high, last)])
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if axis.kind == "number":
        least, most = _numbers(axis, low, high)
        return Side(axis, least, most)
    first, last_one = (datetime(1970, 1, 1) + timedelta(milliseconds=place) for place in (low, high))
    form = "%Y-%m-%d" if axis.kind == "date" else "%Y-%m-%d %H:%M:%S"
    return Side(axis, first.strftime(form), last_one.strftime(form))


def _place(place: float, last: int) -> int:
    return min(max(round(place), 0), last)


def _numbers(axis: Axis, low: float, high: float) -> tuple[str, str]:
    """Both as short as tells them apart, within the axis."""
    if axis.margin:
        return str(round(low)), str(round(high))
    digits = 0 if high - low > 20 else max(0, 1 - math.floor(math.log10(high - low))) if high > low else 6
    return f"{low:.{digits}f}", f"{high:.{digits}f}"


def _quantile(spans: Sequence[tuple[float, float, int]], share: float, axis: Axis) -> float:
    total = sum(rows for _, _, rows in spans)

    def below(place: float) -> float:
        return sum(
            rows * (min(max((place - start) / (end - start), 0.0), 1.0) if end > start else float(place >= start))
            for start, end, rows in spans
        )

    low, high = axis.low, axis.high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < share * total else (low, middle)
    return high
