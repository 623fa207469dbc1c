# SPDX-License-Identifier: Apache-2.0

"""Reports in a real browser: console, figures and their labels, hover, themes, widths, keyboard, no script."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from synthetic import COLUMNS, HOSTILE, clustered, hostile, many_columns, random_order

import spark_zorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    Open = Callable[..., Page]

MOST_BYTES = 2_000_000
# Everything that reaches beyond the right edge, but for what scrolls inside its own box.
OVERFLOWING = """() => [...document.querySelectorAll('body *')].filter(e =>
    e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !e.closest('.scroll, pre, svg, .skip, .modebar')).map(e => e.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def compared(folder: Path) -> Path:
    """Before and after, some files of unknown bounds."""
    before = random_order(48, unknown=2)
    return spark_zorder.report(clustered(48), list(COLUMNS), folder / "compared.html", before=before, title="Flights")


@pytest.fixture(scope="module")
def single(folder: Path) -> Path:
    return spark_zorder.report(clustered(9), ["day"], folder / "single.html")


def drawn(page: Page) -> Page:
    """The page, once all of its figures are drawn."""
    page.locator("html[data-drawn]").wait_for(state="attached")
    return page


def until(page: Page, holds: str) -> None:
    """Waits for an expression of JavaScript; playwright's own way needs `eval`, which the page forbids."""
    look = f"const look = () => {holds} ? done() : requestAnimationFrame(look)"
    page.evaluate(f"() => new Promise(done => {{ {look}; look() }})")


def test_figures_are_there_and_labelled(page_of: Open, compared: Path) -> None:
    page: Any = drawn(page_of(compared))
    assert page.console_errors == page.requests == []
    assert page.title() == "Flights"
    figures = page.locator("figure")
    # The query, shares, map, sizes, two of each column, and the grid.
    assert figures.count() == 4 + 2 * len(COLUMNS) + 1
    for i in range(figures.count()):
        figure = figures.nth(i)
        assert figure.locator("h3, h4").inner_text()
        assert figure.locator("table caption").count() == 1
        for plot in figure.locator(".plot").all():
            assert plot.get_attribute("role") == "img"
            assert len(plot.get_attribute("aria-label") or "") > 40
            assert plot.locator("svg.main-svg").count() > 0
            titles = plot.locator(".xtitle, .ytitle").all_text_contents()
            assert titles
            assert all(titles)
    assert "2 of 48 files before" in page.locator("figure[aria-labelledby=map-title]").inner_text()


def test_the_grid_of_64_rows(page_of: Open, single: Path) -> None:
    page = drawn(page_of(single))
    grid = page.locator("figure[aria-labelledby=grid-title]")
    linear, z_order = grid.locator(".label").all_inner_texts()
    assert "linear order: 9 files read, 21 false positives" in linear.lower()
    assert "x 1 and 2, y 7 and 8" in linear
    assert "z-order: 7 files read, 13 false positives" in z_order.lower()
    assert "x 3 and 4, y 3 and 4" in z_order
    # Files that are read are filled.
    fills = "e => [...e.querySelectorAll('.barlayer path')].filter(p => +getComputedStyle(p).fillOpacity > 0).length"
    assert [grid.locator(".plot").nth(i).evaluate(fills) for i in (0, 1)] == [9, 7]


def test_it_begins_with_a_query_and_a_light_for_each_column(page_of: Open, compared: Path) -> None:
    page = drawn(page_of(compared, width=360))
    start = page.locator("#start")
    assert page.locator("section").first.get_attribute("id") == "start"
    opened = start.locator(".lead").inner_text().replace("\u00a0", " ")
    assert opened == (
        "This query opens 1 of 48 files, reads 0.2 of 11.9 MB; before, it opened 48 of 48 files, read 12.4 of 12.4 MB."
    )
    # Lit files, files that are not, and the box.
    after = page.locator("#query-2")
    assert after.locator(".barlayer .trace").count() == 2
    assert [after.locator(f".barlayer .trace:nth-child({i}) path").count() for i in (1, 2)] == [47, 1]
    assert page.locator("#query-1 .barlayer .trace path").count() == 46
    assert (
        start.locator(".lights li").all_inner_texts()[0]
        == "dest_lon good: a lookup opens 6.9 of 48 files on average, 47.1 of 48 files before"
    )
    assert start.locator(".lights li").count() == len(COLUMNS)
    # The numbers for experts are below.
    words = page.locator("main").inner_text()
    assert words.index("opens 1 of 48") < words.index("lookup opens") < words.index("Depth")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_mode_bar_covers_no_legend(page_of: Open, compared: Path, width: int) -> None:
    page: Any = drawn(page_of(compared, width=width))
    boxes = """e => ['.modebar-group', '.legend'].map(s => e.querySelector(s)?.getBoundingClientRect())
        .map(b => b && [b.left, b.right, b.top, b.bottom])"""
    found = [plot.evaluate(boxes) for plot in page.locator(".plot").all()]
    both = [(bar, legend) for bar, legend in found if bar and legend]
    assert len(both) > 2
    for bar, legend in both:
        assert bar[0] >= legend[1] or bar[2] >= legend[3] or bar[3] <= legend[2]


def test_hover_tells_the_file(page_of: Open, compared: Path) -> None:
    page = drawn(page_of(compared))
    after = page.locator("#map-2")
    after.scroll_into_view_if_needed()
    box = after.locator(".plot-container .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    label = after.locator(".hoverlayer .hovertext")
    label.wait_for()
    text = label.text_content() or ""
    assert "part-000" in text
    assert "dest_lon" in text
    assert "rows" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes(page_of: Open, compared: Path, scheme: str) -> None:
    page: Any = drawn(page_of(compared, color_scheme=scheme))
    looks = "() => [document.body, document.querySelector('#shares-1 .xtick text')].map(e => getComputedStyle(e))"
    colours = f"() => ({looks})().map((s, i) => i ? s.fill : s.backgroundColor)"
    system = page.evaluate(colours)
    other = "Dark" if scheme == "light" else "Light"
    page.get_by_role("radio", name=other).check()
    chosen = page.evaluate(colours)
    assert system != chosen
    assert all(a != b for a, b in zip(system, chosen, strict=True))
    # By keyboard, and back to what the system says.
    page.get_by_role("radio", name=other).focus()
    page.keyboard.press("Home" if other == "Light" else "ArrowRight")
    page.get_by_role("radio", name="Auto").check()
    assert page.evaluate(colours) == system
    page.emulate_media(color_scheme="dark" if scheme == "light" else "light")
    until(page, f"JSON.stringify(({colours})()) === {json.dumps(json.dumps(chosen, separators=(',', ':')))}")
    assert page.console_errors == []


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("which", ["compared", "single"])
def test_layout_holds(page_of: Open, request: pytest.FixtureRequest, which: str, width: int) -> None:
    page: Any = drawn(page_of(request.getfixturevalue(which), width=width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOWING) == []
    for details in page.locator("details").all():
        details.evaluate("e => { e.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.console_errors == []


def test_nothing_is_cut_on_a_phone(page_of: Open, compared: Path) -> None:
    page = drawn(page_of(compared, width=360))
    for details in page.locator("details").all():
        details.evaluate("e => { e.open = true }")
    # Statements wrap, and rows of tables become cards: nothing has to be found by scrolling sideways.
    wide = "(s) => [...document.querySelectorAll(s)].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert page.evaluate(wide, "pre") == 0
    assert page.locator("pre").evaluate_all("all => all.map(e => getComputedStyle(e).whiteSpace)") == ["pre-wrap"]
    assert page.evaluate(wide, ".data .scroll") == 0
    # A bound stays in one piece.
    lines = "all => all.map(e => e.getClientRects().length)"
    assert set(page.locator(".bound").evaluate_all(lines)) == {1}
    # Labels of depths do not stand upright.
    turned = page.locator(".plot[id^=depth-] .xtick text").evaluate_all(
        "all => all.filter(e => /rotate\\((?!0)/.test(e.getAttribute('transform') || '')).length"
    )
    assert turned == 0


def test_lit_files_are_alike_bright_one_by_one_and_in_a_heap(page_of: Open, compared: Path) -> None:
    page = drawn(page_of(compared, color_scheme="dark"))
    fill = "all => all.map(e => +getComputedStyle(e).fillOpacity)"
    (one,) = page.locator("#query-2 .barlayer .trace:nth-child(2) path").evaluate_all(fill)
    heap = page.locator("#query-1 .barlayer .trace path").evaluate_all(fill)
    # They lie on each other.
    together = 1 - (1 - heap[0]) ** len(heap)
    assert one > 0.5
    assert together < 1.5 * one


def test_a_window_that_is_resized(page_of: Open, compared: Path) -> None:
    page: Any = drawn(page_of(compared, width=1440))
    page.set_viewport_size({"width": 400, "height": 800})
    until(page, "document.querySelector('#shares-1 svg.main-svg').getBoundingClientRect().width < 400")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.console_errors == []


def test_hostile_names_are_text(page_of: Open, folder: Path) -> None:
    path = spark_zorder.report(hostile(), None, folder / "hostile.html", title=HOSTILE[1], overwrite=True)
    page: Any = drawn(page_of(path))
    assert page.console_errors == page.requests == []
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.title() == HOSTILE[1]
    assert page.locator(".verdicts tbody th").all_text_contents() == HOSTILE
    shown = page.locator("#shares-1 .ytick text").all_text_contents()
    assert sorted(shown) == sorted(" ".join(name.split()) for name in HOSTILE)


def test_without_javascript(page_of: Open, compared: Path) -> None:
    page = page_of(compared, java_script_enabled=False)
    assert page.locator("noscript p").is_visible()
    page.locator("figure[aria-labelledby=map-title] summary").click()
    assert page.get_by_role("table", name="Extents of files").first.is_visible()


def test_keyboard_and_structure(page_of: Open, compared: Path) -> None:
    page = drawn(page_of(compared))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("figure summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("figure details").first.get_attribute("open") is not None
    assert page.locator("html").get_attribute("lang") == "en"
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.evaluate(
        "[...document.querySelectorAll('table')].every(t => t.caption && t.querySelector('th[scope]'))"
    )
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    targets = page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1))")
    assert set(targets) <= set(ids)


@pytest.mark.long
def test_the_largest_page(page_of: Open, folder: Path) -> None:
    rows = many_columns(16, 400)
    path = spark_zorder.report(rows, None, folder / "large.html", before=many_columns(16, 600))
    assert path.stat().st_size < MOST_BYTES
    page: Any = drawn(page_of(path, width=360))
    assert page.console_errors == []
    assert page.evaluate(OVERFLOWING) == []


@pytest.mark.long
def test_more_files_than_are_drawn(page_of: Open, folder: Path) -> None:
    path = spark_zorder.report(clustered(1500), None, folder / "files.html", before=random_order(1500))
    assert path.stat().st_size < MOST_BYTES
    page: Any = drawn(page_of(path))
    assert page.console_errors == []
    assert "over 200 files" in page.locator("figure[aria-labelledby=map-title]").inner_text()
    # Before and after are drawn to one scale.
    scales = page.locator(".plot[id^=map-] .colorbar").all_text_contents()
    assert len(scales) == 2
    assert scales[0] == scales[1]
