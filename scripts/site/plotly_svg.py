# SPDX-License-Identifier: Apache-2.0

"""Pictures of the docs from plotly's figures, drawn in the headless Chromium of `make .build/browser`."""

from __future__ import annotations

import gzip
import json
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = ROOT / "python" / "src" / "spark_zorder" / "plot" / "data" / "plotly-basic.min.js.gz"
_WIDTH = 880


def draw(figures: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes each figure to docs/images/<name>.svg.

    Args:
        figures: plotly's JSON by name; a figure's height is that of its layout.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=ROOT / ".build" / "chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(content=gzip.decompress(_SCRIPT.read_bytes()).decode())
        for name, figure in figures.items():
            size = f"{{format: 'svg', width: {_WIDTH}, height: {figure['layout']['height']}}}"
            address = page.evaluate(f"Plotly.toImage({json.dumps(figure)}, {size})")
            target = ROOT / "docs" / "images" / f"{name}.svg"
            target.write_text(urllib.parse.unquote(address.split(",", 1)[1]) + "\n", encoding="utf-8")
            print(target.relative_to(ROOT))
        browser.close()
