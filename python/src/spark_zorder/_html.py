# SPDX-License-Identifier: Apache-2.0

"""Pieces of what notebooks show, in the notebook's own colours."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from spark_zorder._numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ESTIMATED = "Share of the files that a point lookup reads, estimated from their ranges."


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


def card_html(name: str, facts: Mapping[str, str], shares: Mapping[str, float | None], note: str) -> str:
    """Returns a card of a table or of a snapshot of one; every text is escaped.

    Args:
        name: the table's name.
        facts: by label, as text; those that are not known are left out.
        shares: share of the files that a point lookup reads, 0 to 1, by column; None where not known.
        note: a sentence on the shares.
    """
    named = f'<b style="font-family:monospace;overflow-wrap:anywhere">{escaped(name)}</b>'
    said = " · ".join(f"{escaped(label)} <b>{escaped(value)}</b>" for label, value in facts.items())
    rows = [
        f'<tr><td style="padding:1px 12px 1px 0;text-align:left;font-family:monospace">{escaped(column)}</td>'
        f'<td style="padding:1px 8px 1px 0">{bar(share)}</td>'
        f'<td style="padding:1px 0;text-align:left">{escaped(percent_text(share))}</td></tr>'
        for column, share in shares.items()
    ]
    return framed(f"<div>{named}</div><div>{said}</div>", rows_table(rows), remark(note))


def plain(text: str) -> str:
    """Returns a text as plotly shows it letter by letter: it reads tags in texts, and lines as `<br>`.

    Example:
        >>> plain("<b>")
        '&lt;b&gt;'
    """
    return html.escape(re.sub(r"\s+", " ", text), quote=False)
