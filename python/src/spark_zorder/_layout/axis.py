# SPDX-License-Identifier: Apache-2.0

"""Where values of a column stand in a figure, the same before and after."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from spark_zorder._html import plain
from spark_zorder._layout.values import MILLISECONDS_PER_DAY, Kind, key

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


def _label(text: str) -> str:
    return plain(text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…")
