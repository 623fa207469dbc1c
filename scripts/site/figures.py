# SPDX-License-Identifier: Apache-2.0

"""Drawings of docs/images become part of the page: an image of its own would not see the theme's switch."""

from __future__ import annotations

import html as entities
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_IMAGE = re.compile(r"<img\b[^>]*>")
_ATTRIBUTE = re.compile(r'\b(src|alt)="([^"]*)"')


def inlined(html: str, folder: Path, wrong: Callable[[str], None]) -> str:
    """Replaces each `<img>` of a drawing by the drawing.

    Args:
        html: a page's content.
        folder: that of the page, to which sources of images are relative.
        wrong: called with what is wrong: an image without a text for those who cannot see it.
    """

    def drawing(image: re.Match[str]) -> str:
        attributes = dict(_ATTRIBUTE.findall(image[0]))
        source, text = attributes.get("src", ""), attributes.get("alt", "").strip()
        if not text:
            wrong(f"the image {source} has no alternative text")
        file = folder / source
        if not source.endswith(".svg") or not file.is_file():
            return image[0]
        svg = file.read_text()
        svg = svg[svg.index("<svg") :]
        label = entities.escape(entities.unescape(text))
        return '<span class="drawing">' + svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1) + "</span>"

    return _IMAGE.sub(drawing, html)
