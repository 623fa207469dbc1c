# SPDX-License-Identifier: Apache-2.0

"""Pieces of what notebooks show, in the notebook's own colours."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def escaped(text: str) -> str:
    """Returns a text as HTML shows it letter by letter."""
    return html.escape(text)


def framed(*parts: str) -> str:
    """Returns pieces of HTML, one below the other, in a frame; what is too wide for the notebook scrolls."""
    return (
        '<div style="display:inline-block;border:1px solid #8886;border-radius:8px;padding:10px 14px;'
        f'line-height:1.5;max-width:100%;overflow-x:auto">{"".join(parts)}</div>'
    )


def remark(text: str) -> str:
    """Returns a sentence that stands back; empty for none. The text is escaped."""
    return f'<div style="opacity:.75;font-size:.9em;margin-top:4px">{escaped(text)}</div>' if text else ""


def rows_table(rows: Sequence[str], head: str = "") -> str:
    """Returns a table of rows, which are HTML; empty without any."""
    if not rows and not head:
        return ""
    top = f"<thead>{head}</thead>" if head else ""
    return f'<table style="border-collapse:collapse;margin:6px 0 0">{top}<tbody>{"".join(rows)}</tbody></table>'


def bar(share: float | None) -> str:
    """Returns a bar for a share of one, 0 to 1; without a share its ground alone."""
    width = 0 if share is None else max(1, round(100 * share))
    return (
        '<div style="width:110px;height:8px;margin-left:auto;border-radius:4px;background:#8883">'
        f'<div style="width:{width}%;height:8px;border-radius:4px;background:#1e83c9"></div></div>'
    )
