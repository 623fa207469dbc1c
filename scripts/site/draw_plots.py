# SPDX-License-Identifier: Apache-2.0

"""Draws the pictures of docs/figures.md by `spark_zorder.plot`: `make pictures`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from plotly.subplots import make_subplots

from plotly_svg import draw
from spark_zorder import plot

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def curves() -> Figure:
    """Both curves side by side."""
    both = make_subplots(cols=2, horizontal_spacing=0.08, subplot_titles=["Z-order", "Hilbert"])
    for col, kind in enumerate(("zorder", "hilbert"), 1):
        both.add_trace(plot.curve(kind, 3).data[0], row=1, col=col)
        both.update_yaxes(scaleanchor="x" if col == 1 else "x2", row=1, col=col)
    looks = plot.curve("zorder", 3).layout
    both.update_layout(template="none", showlegend=False, font=looks.font)
    both.update_layout(paper_bgcolor=looks.paper_bgcolor, plot_bgcolor=looks.plot_bgcolor)
    both.update_layout(height=440, margin={"l": 40, "r": 16, "t": 40, "b": 40})
    both.update_xaxes(dtick=1, gridcolor=looks.xaxis.gridcolor, zeroline=False, constrain="domain", range=[-0.6, 7.6])
    both.update_yaxes(dtick=1, gridcolor=looks.xaxis.gridcolor, zeroline=False, constrain="domain", range=[-0.6, 7.6])
    return both


if __name__ == "__main__":
    draw({f"plot-{name}": json.loads(f.to_json()) for name, f in (("grid", plot.grid_example()), ("curves", curves()))})
