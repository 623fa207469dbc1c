# SPDX-License-Identifier: Apache-2.0

"""What a report says in words and numbers: the whole table, and each column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

from spark_zorder._layout.values import key
from spark_zorder._numbers import count_text, percent_text, size_text, tenths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_zorder._layout.extents import Extents, Measure
    from spark_zorder._layout.values import Kind
    from spark_zorder.plot._states import State


# From this share on every file holds nearly all values, as in the statement's verdict.
_NEARLY_ALL = 0.9
# Three digits would say 100 %.
_ALL = 0.995
# More than before from this factor and this share on, as in OPTIMIZE's summary.
_WORSE, _LEAST_WORSE = 1.5, 0.02
# How verdicts of the statement write shares of one.
_SHARE = re.compile(r"(<)?\b(0\.\d+|1\.0+)(?: ± (0\.\d+))?")


@dataclass(frozen=True)
class Fact:
    """A number of the table, now and before; the latter empty without a state before."""

    label: str
    value: str
    before: str = ""


@dataclass(frozen=True)
class ColumnVerdict:
    """A column's row of the table of verdicts, as texts; shares also as numbers from 0 to 100, for their bars."""

    name: str
    words: str
    share: str
    share_before: str
    width: float | None
    width_before: float | None
    depth: str
    overlaps: str
    nulls: str
    bounds: Sequence[str]


@dataclass(frozen=True)
class Light:
    """What the layout is worth for lookups by a column, as a traffic light, and why in a few words."""

    column: str
    color: Literal["good", "better", "nothing", "worse"]
    word: str
    why: str


def lights_of(states: Sequence[State]) -> list[Light]:
    """One light for each column: of the state now, and of what it was before."""
    return [_light(states, column) for column in states[-1].extents.columns]


def _light(states: Sequence[State], column: str) -> Light:
    now = states[-1].extents
    measure = now.measure(column)
    files, share = len(now.files), measure.read_share
    verdict = (measure.verdict or "").split(":")[0]
    before = states[0].extents.measure(column).read_share if len(states) > 1 else None
    # One state has lost and gained nothing.
    nothing = "gains nothing" if len(states) > 1 else "reads every file"
    if before is not None and share is not None and share >= _WORSE * before and share - before >= _LEAST_WORSE:
        why = f"{_files_read(states[0].extents, before)} before, {_files_read(now, share)} now"
        return Light(column, "worse", "got worse", why)
    if now.unknown(column) == files:
        return Light(column, "nothing", nothing, "the files have no statistics of it")
    if share is None:
        return Light(column, "nothing", "has no value", "there is none to look up")
    if files == 1:
        return Light(column, "nothing", nothing, "there is one file, of which nothing can be skipped")
    if verdict == "constant":
        return Light(column, "nothing", nothing, "all rows have the same value")
    why = f"a lookup opens {_files_read(now, share)} on average"
    if len(states) > 1:
        why += f", {_files_read(states[0].extents, before)} before"
    if share >= _NEARLY_ALL:
        return Light(column, "nothing", nothing if share >= _ALL or len(states) > 1 else "reads nearly every file", why)
    # The statement's word, or the least that any layout reaches by independent columns alike.
    is_good = verdict == "good" if verdict else share <= 1.5 * files ** (-1 / len(now.columns))
    return Light(column, "good", "good", why) if is_good else Light(column, "better", "could be better", why)


def _files_read(extents: Extents, share: float | None) -> str:
    files = len(extents.files)
    read = "an unknown number" if share is None else tenths(share * files)
    return f"{read} of {files:,} file{'' if files == 1 else 's'}"


def facts_of(states: Sequence[State]) -> list[Fact]:
    """The numbers at the head of the page."""
    columns = [_facts(state.extents) for state in states]
    now = columns[-1]
    before = columns[0] if len(states) > 1 else {}
    return [Fact(label, value, before.get(label, "")) for label, value in now.items()]


def _facts(extents: Extents) -> dict[str, str]:
    sizes = [file.size for file in extents.files]
    return {
        "Files": f"{len(sizes):,}",
        "Size": size_text(sum(sizes)),
        "Rows": count_text(extents.rows),
        "Median file": size_text(median(sizes)),
        "Smallest": size_text(min(sizes)),
        "Largest": size_text(max(sizes)),
    }


def headline(states: Sequence[State]) -> str:
    """The page in a sentence or two."""
    now = states[-1].extents
    shares = {c: s for c in now.columns if (s := now.measure(c).read_share) is not None}
    if not shares:
        return "No column has a value to look up."
    best, worst = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    text = f"A point lookup by {best} reads {percent_text(shares[best])} of the files"
    if best != worst:
        text += f", one by {worst} {percent_text(shares[worst])}"
    if len(states) > 1:
        earlier = [states[0].extents.measure(c).read_share for c in dict.fromkeys((best, worst))]
        text += f"; before it was {' and '.join(percent_text(share) for share in earlier)}"
    return text + "."


def verdicts_of(states: Sequence[State]) -> list[ColumnVerdict]:
    """One row for each column."""
    return [_verdict(states, column) for column in states[-1].extents.columns]


def _verdict(states: Sequence[State], column: str) -> ColumnVerdict:
    now = states[-1].extents
    measure = now.measure(column)
    before = states[0].extents.measure(column) if len(states) > 1 else None
    share = percent_text(measure.read_share, 2 * (measure.standard_error or 0))
    return ColumnVerdict(
        name=column,
        words=_in_percent(measure.verdict) if measure.verdict else _words(now, column, measure),
        share=("about " if measure.is_estimated and measure.read_share is not None else "") + share,
        share_before=percent_text(before.read_share) if before else "",
        width=_width(measure),
        width_before=_width(before) if before else None,
        depth=f"{tenths(measure.average_depth)} / {measure.max_depth:,}",
        overlaps=tenths(measure.average_overlaps),
        nulls=_nulls(now, column),
        bounds=_bounds(now, column),
    )


def _words(extents: Extents, column: str, measure: Measure) -> str:
    """A verdict by the share alone, for rows that came without the statement's."""
    files = len(extents.files)
    share = measure.read_share
    if extents.unknown(column) == files:
        return "No statistics: every lookup reads all files."
    if share is None:
        return "No value to look up."
    if files == 1:
        return "One file: there is nothing to skip."
    # About the least that any layout reaches by independent columns alike.
    least = files ** (-1 / len(extents.columns))
    read = f"a lookup reads {_files_read(extents, share)}"
    if share <= 1.5 * least:
        return f"Well clustered: {read}."
    return f"{'Not' if share > 0.9 else 'Partly'} clustered: {read}."


def _in_percent(verdict: str) -> str:
    """A verdict of the statement with its shares as the rest of the page writes them."""
    return _SHARE.sub(lambda m: f"{m[1] or ''}{percent_text(float(m[2]), float(m[3] or 0))}", verdict)


def _width(measure: Measure) -> float | None:
    return None if measure.read_share is None else 100 * measure.read_share


def _nulls(extents: Extents, column: str) -> str:
    counts = [file.bounds[column].null_count for file in extents.files]
    return "unknown" if any(count is None for count in counts) else f"{sum(count or 0 for count in counts):,}"


def _bounds(extents: Extents, column: str) -> Sequence[str]:
    """The least and the greatest value; a word where they are unknown."""
    from spark_zorder._report._figures import cut

    kind = extents.kinds[column]
    ranges = [r for file in extents.files if (r := file.range_of(column))]
    if not ranges:
        return ["unknown"]
    low = min((low for low, _ in ranges), key=lambda text: key(kind, text))
    high = max((high for _, high in ranges), key=lambda text: key(kind, text))
    return [cut(_rounded(kind, low), 24), cut(_rounded(kind, high), 24)]


def _rounded(kind: Kind, text: str) -> str:
    """A number of many digits after the point with six that count; anything else as it is."""
    return f"{float(text):.6g}" if kind == "number" and re.fullmatch(r"-?\d*\.\d{6,}", text) else text
