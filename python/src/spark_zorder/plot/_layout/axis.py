# SPDX-License-Identifier: Apache-2.0

"""Where values of a column stand in a figure, the same before and after."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_zorder.plot._layout.values import MILLISECONDS_PER_DAY, Kind, key
from spark_zorder.plot._style import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_zorder.plot._layout.extents import Extents

# Share of the axis that a file of one value takes, so that it can be seen.
_LEAST_WIDTH = 0.004
_MOST_LABELS = 12
_LONGEST_LABEL = 16


@dataclass(frozen=True)
class Axis:
    """An axis of values of one column.

    Attributes:
        column: its title.
        kind: what the values are.
        low: the least place that is drawn.
        high: the greatest.
        margin: how far a file reaches beyond its bounds on either side: half a step among whole numbers and texts.
        texts: the distinct bounds in order, of an axis of texts.
    """

    column: str
    kind: Kind
    low: float
    high: float
    margin: float = 0.0
    texts: tuple[str, ...] = ()

    def span(self, low: str, high: str) -> tuple[float, float]:
        """Where a file with these bounds starts and ends."""
        start, end = self._place(low) - self.margin, self._place(high) + self.margin
        # A date is a whole day.
        return (start, end + MILLISECONDS_PER_DAY) if self.kind == "date" else (start, end)

    def visible_span(self, low: str, high: str) -> tuple[float, float]:
        """The span, widened around its middle where it would be too thin to be seen."""
        start, end = self.span(low, high)
        missing = (self.high - self.low) * _LEAST_WIDTH - (end - start)
        return (start - missing / 2, end + missing / 2) if missing > 0 else (start, end)

    def _place(self, text: str) -> float:
        if self.kind == "text":
            return float(bisect_left(self.texts, text))
        # Infinity and NaN are drawn at the ends.
        return min(max(float(key(self.kind, text)), self.low), self.high)

    def layout(self, panels: int = 1) -> dict[str, Any]:
        """Settings of an axis of plotly, in a figure of so many panels."""
        room = (self.high - self.low) * 0.02
        settings: dict[str, Any] = {"title": {"text": plain(self.column)}, "range": [self.low - room, self.high + room]}
        settings["nticks"] = 8 // panels
        if self.kind in ("date", "timestamp"):
            return {**settings, "type": "date"}
        settings["type"] = "linear"
        if self.kind == "text":
            step = math.ceil(len(self.texts) * panels / _MOST_LABELS)
            places = list(range(0, len(self.texts), step))
            settings |= {"tickvals": places, "ticktext": [_label(self.texts[i]) for i in places]}
        return settings


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


def _label(text: str) -> str:
    return plain(text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…")
