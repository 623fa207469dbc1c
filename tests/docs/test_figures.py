# SPDX-License-Identifier: Apache-2.0

"""Figures are what their scripts draw now, and the numbers in them are those of the text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from draw import DRAWINGS, IMAGES
from grid import Grid, hilbert, linear, zorder
from launching import ROOT


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_is_not_stale(name: str) -> None:
    drawn = str(DRAWINGS[name]())

    assert (IMAGES / f"{name}.svg").read_text() == drawn, "run `make figures`"
    ElementTree.fromstring(drawn)  # noqa: S314 - our own


def test_every_image_of_the_docs_is_there_and_has_a_text() -> None:
    images = [
        (page, text, source)
        for page in sorted((ROOT / "docs").glob("*.md"))
        for text, source in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text())
    ]

    assert images
    assert [image for image in images if not image[1].strip() or not (image[0].parent / image[2]).is_file()] == []


def test_the_grid_of_the_concepts() -> None:
    """As issue, page, picture and `tests/classic/test_grid.py` have them."""
    by_order = [Grid(order) for order in (linear, zorder, hilbert)]

    assert [(sum(grid.read(2, 3)), grid.false_positives(2, 3)) for grid in by_order] == [(9, 21), (7, 13), (7, 13)]
    measures = [(grid.overlaps_and_depth("x"), grid.overlaps_and_depth("y")) for grid in by_order]
    assert measures == [((1, 2), (7, 8)), ((3, 4), (3, 4)), ((3, 4), (3, 4))]
    picture = (IMAGES / "orders.svg").read_text()
    for text in (
        "reads 9 of 16 files, 21 rows",
        "reads 7 of 16 files, 13 rows",
        "x: overlaps 1, depth 2",
        "y: overlaps 7, depth 8",
    ):
        assert text in picture
