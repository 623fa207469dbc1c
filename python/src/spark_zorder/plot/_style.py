# SPDX-License-Identifier: Apache-2.0

"""How all figures look: colours that colour-blind people tell apart, and text that is read on light and on dark."""

from __future__ import annotations

import html
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from spark_zorder.errors import ZOrderImportError

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Vermilion and blue of Okabe and Ito, a little lighter: 3 to 1 and more against white and against near black.
BEFORE = "#d55e00"
AFTER = "#1e83c9"
# 4.5 to 1 against white, 4.1 to 1 against near black.
INK = "#767676"
GRID = "rgba(128,128,128,0.22)"
# Light to dark in equal steps, also in grey: viridis without its palest end.
SEQUENCE = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#d2e21b"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def plotly(module: str) -> Any:
    """Returns a module of plotly.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
    """
    return needed(f"plotly.{module}")


def needed(module: str) -> Any:
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


def finish(figure: Figure, title: str, subtitle: str, description: str, *, height: int = 420) -> Figure:
    """Gives a figure its title, its description for those who cannot see it (`layout.meta`), and the common looks."""
    figure.update_layout(
        template="none",
        title={"text": plain(title), "subtitle": {"text": plain(subtitle), "font": {"size": 13, "color": INK}}},
        title_x=0.01,
        title_xanchor="left",
        meta={"title": title, "subtitle": subtitle, "description": description},
        font={"family": FONT, "size": 13, "color": INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        height=height,
        margin={"l": 64, "r": 24, "t": 96, "b": 56},
        legend={"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
        hoverlabel={"font": {"family": FONT, "size": 13}, "align": "left"},
        hovermode="closest",
    )
    looks = {"gridcolor": GRID, "zeroline": False, "linecolor": GRID, "automargin": True, "title_standoff": 10}
    figure.update_xaxes(**looks)
    figure.update_yaxes(**looks)
    return figure


def plain(text: str) -> str:
    """Returns a text as plotly shows it letter by letter: it reads tags in texts, and lines as `<br>`.

    Example:
        >>> plain("<b>")
        '&lt;b&gt;'
    """
    return html.escape(re.sub(r"\s+", " ", text), quote=False)


def size_text(size: float) -> str:
    """Returns bytes for people, in steps of 1000.

    Example:
        >>> size_text(950), size_text(12_400_000)
        ('950 B', '12.4 MB')
    """
    power = 0
    while round(size, 1) >= 1000 and power < len(_UNITS) - 1:
        size, power = size / 1000, power + 1
    return f"{size:,.0f} B" if power == 0 else f"{size:,.1f} {_UNITS[power]}"


def count_text(count: int | None, noun: str = "") -> str:
    """Returns a count with a thin space between thousands, and its noun.

    Example:
        >>> count_text(1, "file"), count_text(12, "file"), count_text(None, "row")
        ('1 file', '12 files', 'an unknown number of rows')
    """
    if count is None:
        return f"an unknown number of {noun}s" if noun else "unknown"
    number = f"{count:,}"
    return number if not noun else f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def percent_text(share: float | None) -> str:
    """Returns a share in percent, with as many digits as tell it from none and from all.

    Example:
        >>> percent_text(0.25), percent_text(0.004), percent_text(0.9996), percent_text(None)
        ('25 %', '0.4 %', '99.96 %', 'unknown')
    """
    if share is None:
        return "unknown"
    value = 100 * share
    for digits in (0 if 10 <= value else 1, 1, 2, 3):
        text = f"{value:.{digits}f}"
        if (float(text) not in (0, 100)) or value in (0, 100):
            return f"{float(text):g} %"
    return f"{value:.2g} %"
