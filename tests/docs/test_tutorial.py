# SPDX-License-Identifier: Apache-2.0

"""The tutorial: page and notebook are one, and what they show is what comes out."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import nbformat
import pytest

from launching import ROOT
from tutorial import NOTEBOOK, PAGE, cells, execute, figures_of, notebook_of, page_of, texts_of

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_the_notebook_is_made_of_the_page() -> None:
    parts = cells(PAGE.read_text())

    assert page_of(parts) == PAGE.read_text()
    assert nbformat.writes(notebook_of(parts)) == NOTEBOOK.read_text().rstrip("\n"), "run `make tutorial`"
    assert sum(cell.is_code for cell in parts) > 10


def test_every_link_of_the_notebook_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!\w+:)([^)#]+)", "".join(cell.source for cell in nbformat.read(NOTEBOOK, 4).cells))

    assert links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def same(shown: str, expected: str) -> bool:
    """Whether two texts are the same but for small differences of numbers: files have other names in each run."""
    one, other = NUMBER.findall(shown), NUMBER.findall(expected)

    def close(a: str, b: str) -> bool:
        return math.isclose(float(a), float(b), rel_tol=0.1, abs_tol=2 if "." not in a + b else 0.03)

    def frame(text: str) -> str:
        return re.sub(r"[ -]+", " ", NUMBER.sub("0", text))

    return frame(shown) == frame(expected) and len(one) == len(other) and all(map(close, one, other))


@pytest.mark.nightly
def test_cells_show_what_the_page_says(tmp_path: Path) -> None:
    parts = cells(PAGE.read_text())

    executed = execute(parts, tmp_path)

    assert set(figures_of(parts, executed)) == {"flights-map", "flights-delays"}
    for cell, found in zip(parts, texts_of(parts, executed), strict=True):
        if cell.shows is not None:
            assert found.shows is not None
            assert same(found.shows, cell.shows), f"{found.shows}\nis not\n{cell.shows}\nafter\n{cell.text}"
