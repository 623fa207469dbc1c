# SPDX-License-Identifier: Apache-2.0

"""How all figures look: colours that colour-blind people tell apart, and text that is read on light and on dark."""

from __future__ import annotations

import textwrap
from importlib import import_module
from typing import TYPE_CHECKING

from spark_zorder._html import plain
from spark_zorder.errors import ZOrderImportError

if TYPE_CHECKING:
    from types import ModuleType

    from plotly.graph_objects import Figure

# Vermilion and blue of Okabe and Ito, a little lighter: 3 to 1 and more against white and against near black.
BEFORE = "#d55e00"
AFTER = "#1e83c9"
# 4.5 to 1 against white, 4.1 to 1 against near black.
INK = "#767676"
GRID = "rgba(128,128,128,0.22)"
# The middle of viridis, from dark to light: both ends would vanish on one of the backgrounds.
SEQUENCE = ["#5b4fa8", "#3b6fb5", "#2a8f9e", "#35a978", "#7dbb42", "#c2b91f"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

# Letters in a line of a subtitle.
_LINE = 110


def plotly(module: str) -> ModuleType:
    """Returns a module of plotly.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
    """
    return needed(f"plotly.{module}")


def needed(module: str) -> ModuleType:
    """Returns a module that comes with the extra `plot`.

    Raises:
        ZOrderImportError: it is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.split(".")[0]
        if error.name is None or error.name.split(".")[0] != package:
            raise
        raise ZOrderImportError("ZORDER_PLOT_NOT_INSTALLED", module=package) from error


def finish(
    figure: Figure, title: str, subtitle: str, description: str, *, height: int = 340, room_above: int = 0
) -> Figure:
    """Gives a figure its title, its description for those who cannot see it (`layout.meta`), and the common looks.

    Args:
        figure: what has been drawn.
        title: a line of text.
        subtitle: some sentences, which are broken into lines.
        description: what the figure shows, in words.
        height: pixels below the titles.
        room_above: pixels between the titles and the axes, for a legend or the names of panels.
    """
    lines = [plain(line) for line in textwrap.wrap(subtitle, _LINE)]
    top = 64 + 18 * len(lines) + room_above
    figure.update_layout(
        template="none",
        title={
            "text": plain(title),
            "subtitle": {"text": "<br>".join(lines), "font": {"size": 13, "color": INK}},
            "font": {"size": 17},
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"t": 18, "l": 16},
        },
        meta={"title": title, "subtitle": subtitle, "description": description},
        font={"family": FONT, "size": 13, "color": INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        height=height + top,
        margin={"l": 64, "r": 24, "t": top, "b": 56},
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"},
        hoverlabel={"font": {"family": FONT, "size": 13}, "align": "left"},
        hovermode="closest",
    )
    looks = {"gridcolor": GRID, "zeroline": False, "linecolor": GRID, "automargin": True, "title_standoff": 10}
    figure.update_xaxes(**looks)
    figure.update_yaxes(**looks)
    return figure


def faded(color: str, alpha: float) -> str:
    """Returns a colour with opacity.

    Example:
        >>> faded("#d55e00", 0.25)
        'rgba(213,94,0,0.25)'
    """
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3g})"
