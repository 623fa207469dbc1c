# SPDX-License-Identifier: Apache-2.0

"""Bars of a state, in its colour and pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_zorder._numbers import count_text
from spark_zorder.plot._style import plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.basedatatypes import BaseTraceType

    from spark_zorder.plot._states import State

# Room for a legend above the axes, in pixels.
LEGEND = 12


def bars(state: State, names: Sequence[str], files: Sequence[int], what: str, *, first: bool) -> BaseTraceType:
    """Returns upright bars: for each name how many files; the legend names the state at its first bars only."""
    label = f" {state.label}" if state.label else ""
    return plotly("graph_objects").Bar(
        x=names,
        # A bar of no height would still have its outline.
        y=[count or None for count in files],
        name=state.label or "files",
        legendgroup=state.label,
        showlegend=first,
        marker=marker(state.color, state.pattern),
        hovertext=[f"{what} {n}{label}: <b>{count_text(f, 'file')}</b>" for n, f in zip(names, files, strict=True)],
        hoverinfo="text",
    )


def marker(color: str, pattern: str) -> dict[str, Any]:
    """How bars of a state look."""
    return {"color": color, "line": {"color": color, "width": 1}, "pattern": {"shape": pattern, "solidity": 0.25}}
