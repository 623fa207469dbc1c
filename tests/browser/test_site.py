# SPDX-License-Identifier: Apache-2.0

"""The site of the documentation in a real browser, opened from the disk."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "index.html",
    "tutorial.html",
    "concepts.html",
    "comparison.html",
    "operations.html",
    "reference.html",
    "settings.html",
    "python.html",
    "dbt.html",
    "architecture.html",
)
# Figures by page: drawings, and what mermaid has drawn.
FIGURES = {"index.html": 1, "tutorial.html": 2, "concepts.html": 8}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is now, in a folder of its own."""
    mkdocs = ROOT / ".build" / "docs" / "bin" / "mkdocs"
    assert mkdocs.exists(), "run `make .build/docs/complete`"
    folder = tmp_path_factory.mktemp("site") / "site"
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([str(mkdocs), "build", "--site-dir", str(folder)], cwd=ROOT, env=environment, check=True)
    return folder


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_from_the_disk(page_of: Callable[..., Page], site: Path, name: str, width: int) -> None:
    page = page_of(site / name, width=width)
    # The search is the last to start, in a frame of its own.
    page.locator("iframe[title=search]").wait_for(state="attached")

    assert page.console_errors == []
    assert page.requests == []
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
        "the page is wider than the window"
    )


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_there_and_labelled(page_of: Callable[..., Page], site: Path, name: str) -> None:
    page = page_of(site / name)
    drawings = page.locator("article .drawing > svg[role=img]")

    assert drawings.count() == FIGURES[name]
    for number in range(drawings.count()):
        drawing = drawings.nth(number)
        assert len(drawing.get_attribute("aria-label") or "") > 30
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 300
        assert box["height"] > 100
    assert page.locator("article img:not([alt]), article img[alt='']").count() == 0


def test_mermaid_is_drawn_without_a_network(page_of: Callable[..., Page], site: Path) -> None:
    page = page_of(site / "architecture.html")
    page.wait_for_function("document.querySelectorAll('div.mermaid').length == 2")

    # The theme draws into a closed shadow tree: what shows is its height.
    heights = page.evaluate("[...document.querySelectorAll('div.mermaid')].map(e => e.clientHeight)")
    assert min(heights) > 80
    assert page.requests == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_switch_changes_the_colours(page_of: Callable[..., Page], site: Path, scheme: str) -> None:
    page = page_of(site / "concepts.html", color_scheme=scheme)
    names = {"light": "default", "dark": "slate"}
    other = "dark" if scheme == "light" else "light"
    body = page.locator("body")
    rectangle = page.locator("svg.zf text").first

    def colours() -> tuple[str | None, str]:
        return body.get_attribute("data-md-color-scheme"), rectangle.evaluate("e => getComputedStyle(e).fill")

    first, first_fill = colours()
    page.locator("form[data-md-component=palette] label:visible").click()
    second, second_fill = colours()

    assert (first, second) == (names[scheme], names[other])
    assert first_fill != second_fill


def test_search_works_from_the_disk(page_of: Callable[..., Page], site: Path) -> None:
    page = page_of(site / "index.html")
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type("hilbert_index")
    page.locator(".md-search-result__item").first.wait_for()

    assert "hilbert_index" in page.locator(".md-search-result__list").inner_text()


def test_the_keyboard_reaches_the_content_first(page_of: Callable[..., Page], site: Path) -> None:
    page = page_of(site / "tutorial.html")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.classList.contains('md-skip')")
