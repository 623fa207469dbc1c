# SPDX-License-Identifier: Apache-2.0

"""Bars of the pictures of the docs, as SVG that is read on light and on dark pages."""

from __future__ import annotations

from html import escape

STYLE = """
    text { font-family: -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; fill: #1f2328; }
    .card { fill: #ffffff; stroke: #d1d9e0; }
    .head { font-size: 14px; font-weight: 600; }
    .note { font-size: 12px; fill: #59636e; }
    .number { font-size: 12px; }
    .ours { font-weight: 600; }
    .two { fill: #8c959f; }
    .four { fill: #c4ccd4; }
    .ours.two { fill: #0969da; }
    .ours.four { fill: #80b8f7; }
    .axis { stroke: #8c959f; stroke-width: 1; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .card { fill: #0d1117; stroke: #3d444d; }
      .note { fill: #9198a1; }
      .two { fill: #9198a1; }
      .four { fill: #565e67; }
      .ours.two { fill: #4493f8; }
      .ours.four { fill: #1f5ba8; }
    }"""


def card(height: int, title: str, description: str) -> list[str]:
    """The begin of a picture, 860 wide.

    Args:
        height: of the picture, in pixels.
        title: what it shows, for those who do not see it.
        description: what the bars are and where their numbers stand.
    """
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" width="860" height="{height}" role="img" '
        'aria-labelledby="title desc">',
        f'<title id="title">{escape(title, quote=False)}</title>',
        f'<desc id="desc">{escape(description, quote=False)}</desc>',
        f"<style>{STYLE}\n  </style>",
        f'<rect class="card" x="0.5" y="0.5" width="859" height="{height - 1}" rx="8"/>',
    ]


def bar(x: float, y: float, colour: str, width: float, number: str, ours: str) -> list[str]:
    """A bar with its number behind it.

    Args:
        x: of its left end, in pixels.
        y: of its top.
        colour: classes of `STYLE`.
        width: in pixels.
        number: the text behind it.
        ours: `ours ` for a number of this project's, else empty.
    """
    return [
        f'<rect class="{colour}" x="{x}" y="{y}" width="{width:.1f}" height="14"/>',
        f'<text x="{x + width + 6:.1f}" y="{y + 11}" class="number {ours}">{number}</text>',
    ]
