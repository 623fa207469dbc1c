# SPDX-License-Identifier: Apache-2.0

"""What figures are drawn from: a snapshot of a table's files with the bounds of some columns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from spark_zorder._html import ESTIMATED, card_html
from spark_zorder._layout.axis import Axis
from spark_zorder._layout.ranges import NO_VALUE, UNKNOWN, FileRanges, estimated_read_share
from spark_zorder._layout.values import MILLISECONDS_PER_DAY, Kind, is_whole, key
from spark_zorder._numbers import size_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Bounds:
    """What is known of a column in a file: bounds as text, None where not known or where all values are NULL."""

    low: str | None
    high: str | None
    null_count: int | None


@dataclass(frozen=True)
class DataFile:
    """A file of a table.

    Attributes:
        path: its path in the table.
        partition: the name of its partition; empty without one.
        rows: number of rows; None if not known.
        size: its bytes.
        row_groups: number of row groups; None if not known.
        bounds: bounds by column.
    """

    path: str
    partition: str
    rows: int | None
    size: int
    row_groups: int | None
    bounds: Mapping[str, Bounds]

    def has_no_value(self, column: str) -> bool:
        """Whether the column is NULL in every row, so that no lookup of a value reads the file."""
        bounds = self.bounds[column]
        return bounds.low is None and self.rows is not None and bounds.null_count == self.rows

    def range_of(self, column: str) -> tuple[str, str] | None:
        """The bounds of the column; None if there are none."""
        bounds = self.bounds[column]
        return None if bounds.low is None or bounds.high is None else (bounds.low, bounds.high)


@dataclass(frozen=True)
class Measure:
    """What a layout is worth for one column.

    Attributes:
        read_share: share of the files, 0 to 1, that a point lookup reads; None without rows.
        is_estimated: whether the share is worked out from the files' ranges alone, as if rows lay evenly in them.
        standard_error: of a share that was measured on a sample; None otherwise.
        average_overlaps: average number of other files whose range meets a file's own.
        average_depth: average over the files of the most files that share a value of their range.
        max_depth: the greatest of these numbers.
        depth_histogram: number of files by depth, in the steps of `DESCRIBE LAYOUT`.
        verdict: the statement's own verdict and reason; None if it has none.
    """

    read_share: float | None
    is_estimated: bool
    standard_error: float | None
    average_overlaps: float
    average_depth: float
    max_depth: int
    depth_histogram: Mapping[int, int]
    verdict: str | None = None


@dataclass(frozen=True, repr=False)
class Extents:
    """A table's files with the bounds of some columns, as they were when the snapshot was taken; made by `extents`.

    Attributes:
        name: what the table is called in titles.
        columns: the columns, as the statement names them.
        files: the files.
        kinds: by column, what kind of value it has.
        measured: by column, what `DESCRIBE LAYOUT` measured when the snapshot was taken, if it did.
    """

    name: str
    columns: tuple[str, ...]
    files: tuple[DataFile, ...]
    kinds: Mapping[str, Kind]
    measured: Mapping[str, Measure] = field(default_factory=dict)
    # Which take a moment with many files.
    _ranges: dict[str, FileRanges] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def __repr__(self) -> str:
        """Returns what it is a snapshot of; its files would fill pages."""
        return f"Extents({self.name}: {len(self.files):,} files, {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        """Returns a card for notebooks."""
        facts = {"files": f"{len(self.files):,}", "size": size_text(self.size)}
        if self.rows is not None:
            facts["rows"] = f"{self.rows:,}"
        note = "Share of the files that a point lookup reads." if self.measured else ESTIMATED
        return card_html(self.name, facts, self.read_shares(), note if self.files else "")

    def read_shares(self) -> dict[str, float | None]:
        """By column, the share of files that a point lookup reads; none where there are no files."""
        return {column: self.measure(column).read_share for column in self.columns} if self.files else {}

    @cached_property
    def rows(self) -> int | None:
        """Rows of all files; None if a file does not say."""
        counts = [file.rows for file in self.files]
        return None if any(rows is None for rows in counts) else sum(rows or 0 for rows in counts)

    def spelled(self, columns: Sequence[str]) -> Extents:
        """The same with other names of the columns, in their order: two tables may spell them differently."""
        if tuple(columns) == self.columns:
            return self
        names = dict(zip(columns, self.columns, strict=True))
        files = (
            replace(file, bounds={new: file.bounds[old] for new, old in names.items()} if file.bounds else {})
            for file in self.files
        )
        kinds = {new: self.kinds[old] for new, old in names.items() if old in self.kinds}
        measured = {new: self.measured[old] for new, old in names.items() if old in self.measured}
        return Extents(self.name, tuple(columns), tuple(files), kinds, measured)

    def beginning_with(self, columns: Sequence[str]) -> Extents:
        """The same with other columns first; those that it does not have are passed over."""
        names = {column.replace("`", "").lower(): column for column in self.columns}
        first = [name for column in columns if (name := names.get(column.replace("`", "").lower()))]
        return replace(self, columns=tuple(dict.fromkeys([*first, *self.columns])))

    def with_bounds(self, *columns: str) -> list[DataFile]:
        """The files that have bounds of all of these columns."""
        return [file for file in self.files if all(file.range_of(column) for column in columns)]

    def unknown(self, *columns: str) -> int:
        """Number of files of which a column may hold any value, so that each lookup reads them."""
        return sum(
            any(file.range_of(column) is None and not file.has_no_value(column) for column in columns)
            for file in self.files
        )

    def measure(self, column: str) -> Measure:
        """What the statement measured; without that, what follows from the files' ranges."""
        return self.measured[column] if column in self.measured else self._from_ranges(column)

    def depths(self, column: str) -> FileRanges:
        """The files' ranges of this column, with their overlaps and depth."""
        if column not in self._ranges:
            kind = self.kinds[column]
            self._ranges[column] = FileRanges(
                [
                    (key(kind, bounds[0]), key(kind, bounds[1]))
                    if (bounds := file.range_of(column))
                    else NO_VALUE
                    if file.has_no_value(column)
                    else UNKNOWN
                    for file in self.files
                ]
            )
        return self._ranges[column]

    def _from_ranges(self, column: str) -> Measure:
        ranges = self.depths(column)
        return Measure(
            read_share=self._estimated_share(column),
            is_estimated=True,
            standard_error=None,
            average_overlaps=ranges.average_overlaps,
            average_depth=ranges.average_depth,
            max_depth=ranges.max_depth,
            depth_histogram=ranges.depth_histogram,
        )

    def _estimated_share(self, column: str) -> float | None:
        files = self.with_bounds(column)
        if not files:
            return None
        axis = axis_of(column, [self])
        spans = [
            (*axis.span(*bounds), file.rows if file.rows is not None else 1)
            for file in files
            if (bounds := file.range_of(column))
        ]
        # Files without a value are in the denominator, as they are in the statement's share.
        share = estimated_read_share(spans, self.unknown(column))
        return None if share is None else share * (len(files) + self.unknown(column)) / len(self.files)

    def whole_numbers(self, column: str) -> bool:
        """Whether all bounds of a column of numbers are whole, so that files end between two values."""
        return self.kinds[column] == "number" and is_whole(
            bounds for file in self.files if (bounds := file.range_of(column))
        )


def axis_of(column: str, states: Sequence[Extents]) -> Axis:
    """Returns the axis on which all files of these snapshots have a place; one snapshot at least has bounds."""
    ranges = [r for state in states for file in state.files if (r := file.range_of(column))]
    kinds = {state.kinds[column] for state in states if state.with_bounds(column)}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    if kind == "text":
        texts = tuple(sorted({text for bounds in ranges for text in bounds}))
        return Axis(column, kind, -0.5, len(texts) - 0.5, 0.5, texts)
    margin = 0.5 if all(state.whole_numbers(column) for state in states) else 0.0
    places = [place for bounds in ranges for text in bounds if math.isfinite(place := float(key(kind, text)))]
    low, high = min(places, default=0.0) - margin, max(places, default=1.0) + margin
    if kind == "date":
        high += MILLISECONDS_PER_DAY
    if low == high:
        return Axis(column, kind, low - 0.5, high + 0.5, margin)
    return Axis(column, kind, low, high, margin)
