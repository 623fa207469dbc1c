# SPDX-License-Identifier: Apache-2.0

"""A real headless Chromium, and pages in it that remember what went wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

CHROMIUM = Path(__file__).resolve().parents[2] / ".build" / "chromium"
HEIGHT = 900


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, for all tests of a run."""
    assert CHROMIUM.exists(), "no Chromium: run `make .build/browser`"
    with sync_playwright() as playwright:
        # Root may not have a sandbox of its own.
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page_of(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a file or an address: `page_of(path, width=1440, color_scheme="light")`.

    The page has two lists more: `console_errors`, messages of errors and warnings on the console and exceptions that
    nobody caught, and `requests`, addresses that it asked for from elsewhere than the disk.
    """
    contexts = []

    def open_page(
        path: Path | str,
        width: int = 1440,
        color_scheme: Literal["light", "dark"] = "light",
        **options: Any,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT}, color_scheme=color_scheme, reduced_motion="reduce", **options
        )
        contexts.append(context)
        page: Any = context.new_page()
        page.console_errors, page.requests = [], []
        page.on("console", lambda m: m.type in ("error", "warning") and page.console_errors.append(m.text))
        page.on("pageerror", lambda error: page.console_errors.append(str(error)))
        local = ("file:", "data:", "blob:")
        page.on("request", lambda r: r.url.startswith(local) or page.requests.append(r.url))
        page.goto(path.resolve().as_uri() if isinstance(path, Path) else path)
        return page

    yield open_page
    for context in contexts:
        context.close()
