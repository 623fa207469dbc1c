# SPDX-License-Identifier: Apache-2.0

"""A curve drawn through a small grid, for teaching."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from spark_zorder.errors import ZOrderValueError, wrong_type
from spark_zorder.plot._curves import CurveKind, cells_in_order
from spark_zorder.plot._style import INK, SEQUENCE, finish, plotly

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_NAMES = {"zorder": "Z-order", "hilbert": "Hilbert"}
_MOST_BITS = 6
# With more cells their numbers would overlap.
_MOST_NUMBERED_BITS = 3


def curve(kind: CurveKind = "zorder", bits: int = 3) -> Figure:
    """Draws a space-filling curve through a grid of 2 ** bits steps a side.

    Args:
        kind: `zorder` or `hilbert`, as in `OPTIONS (curve = ...)`.
        bits: 1 to 6.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no such curve (`ZORDER_UNKNOWN_ARGUMENT`), or too many bits (`ZORDER_BITS_OUT_OF_RANGE`).
        ZOrderTypeError: bits is no int.

    Example:
        >>> curve("hilbert", 4).show()  # doctest: +SKIP
    """
    if kind not in _NAMES:
        raise ZOrderValueError("ZORDER_UNKNOWN_ARGUMENT", argument="kind", value=repr(kind), allowed=", ".join(_NAMES))
    if not isinstance(bits, int) or isinstance(bits, bool):
        raise wrong_type("bits", "an int", bits)
    if not 1 <= bits <= _MOST_BITS:
        raise ZOrderValueError("ZORDER_BITS_OUT_OF_RANGE", bits=str(bits), limit=str(_MOST_BITS))
    cells = cells_in_order(kind, bits)
    numbered = bits <= _MOST_NUMBERED_BITS
    marker = {
        "color": list(range(len(cells))),
        "colorscale": SEQUENCE,
        "size": {1: 44, 2: 36, 3: 26, 4: 13, 5: 8}.get(bits, 5),
    }
    figure = plotly("graph_objects").Figure()
    figure.add_scatter(
        x=[x for x, _ in cells],
        y=[y for _, y in cells],
        mode="lines+markers+text" if numbered else "lines+markers",
        line={"color": INK, "width": 2},
        marker=marker,
        text=[str(i) for i in range(len(cells))],
        # White on the dark half of the colours, black on the light one.
        textfont={"size": 11, "color": ["#fff" if i < 0.6 * len(cells) else "#000" for i in range(len(cells))]},
        hovertext=[f"x = {x}, y = {y}<br>position <b>{i}</b>" for i, (x, y) in enumerate(cells)],
        hoverinfo="text",
        name=_NAMES[kind],
    )
    side = 1 << bits
    _square(figure, side)
    jumps = sum(abs(a - c) + abs(b - d) > 1 for (a, b), (c, d) in pairwise(cells))
    steps = "each step goes to a neighbour" if jumps == 0 else f"{jumps} of {len(cells) - 1} steps jump"
    return finish(
        figure,
        f"{_NAMES[kind]} curve, {side} x {side} cells",
        f"Rows are stored in the order of the numbers; {steps}.",
        f"A line through the cells of a grid of {side} by {side} along the {_NAMES[kind]} curve: {steps}.",
        height=440,
    )


def _square(figure: Figure, side: int) -> None:
    ticks = {"dtick": 1 if side <= 16 else side // 8, "range": [-0.6, side - 0.4], "constrain": "domain"}
    figure.update_xaxes(title="x", **ticks)
    figure.update_yaxes(title="y", scaleanchor="x", **ticks)
    figure.update_layout(showlegend=False)
