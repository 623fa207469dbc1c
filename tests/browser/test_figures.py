# SPDX-License-Identifier: Apache-2.0

"""Figures as notebooks show them: by plotly's own page, with its own script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthetic import clustered, hostile, random_order

from spark_zorder import plot

if TYPE_CHECKING:
    from collections.abc import Callable


def test_all_figures(page_of: Callable[..., Any], tmp_path: Path) -> None:
    before, after, many = random_order(48, unknown=1), clustered(48), clustered(1200)
    first = plot.grid_example()
    figures = [
        plot.extent_map(before, after, x="dest_lon", y="dest_lat"),
        plot.extent_map(after, x="day", y="carrier"),
        plot.extent_map(many, x="dest_lon", y="dest_lat"),
        plot.extents_along(before, after, column="carrier"),
        plot.extents_along(many, column="day"),
        plot.depth_histogram(before, after),
        plot.read_shares(before, after),
        plot.read_shares(hostile()),
        plot.file_sizes(before, after),
        plot.curve("zorder", 3),
        plot.curve("hilbert", 5),
    ]
    parts = [first.to_html(full_html=False, include_plotlyjs=True)]
    parts += [figure.to_html(full_html=False, include_plotlyjs=False) for figure in figures]
    path = tmp_path / "figures.html"
    path.write_text("<!DOCTYPE html><meta charset='utf-8'><title>Figures</title>" + "".join(parts), encoding="utf-8")
    page = page_of(path)
    page.wait_for_function(f"document.querySelectorAll('.main-svg .infolayer .gtitle').length === {len(parts)}")
    assert page.console_errors == page.requests == []
    assert page.evaluate("window.hacked") is None
    titles = page.locator(".gtitle").all_text_contents()
    assert titles[0] == "What x = 2 OR y = 3 reads"
    assert all(titles)


def test_the_picture_of_the_docs_is_the_figure() -> None:
    picture = (Path(__file__).resolve().parents[2] / "docs" / "images" / "plot-grid.svg").read_text(encoding="utf-8")
    for words in ("9 files read, 21 false positives", "7 files read, 13 false positives", "x 3 and 4, y 3 and 4"):
        assert words in picture
