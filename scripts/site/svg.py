# SPDX-License-Identifier: Apache-2.0

"""A sheet to draw on: SVG in the colours of the page around it, light or dark, and of the reader's system elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CLASS = "zf"
# Names of colours by what they are for; the site's own style sheet sets the same names (docs/assets/site.css).
_LIGHT = (
    "--zf-ink:#1f2328;--zf-dim:#59636e;--zf-rule:#afb8c1;--zf-paper:#ffffff;"
    "--zf-a:#0969da;--zf-b:#bc4c00;--zf-c:#1a7f37;--zf-d:#8250df"
)
_DARK = (
    "--zf-ink:#f0f6fc;--zf-dim:#9198a1;--zf-rule:#565e67;--zf-paper:#0d1117;"
    "--zf-a:#58a6ff;--zf-b:#f0883e;--zf-c:#3fb950;--zf-d:#bc8cff"
)
_STYLE = (
    f".{CLASS}{{{_LIGHT}}}@media(prefers-color-scheme:dark){{.{CLASS}{{{_DARK}}}}}"
    f".{CLASS} text{{font-family:-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px}}"
    f".{CLASS} text{{fill:var(--zf-ink)}}"
    f".{CLASS} .dim{{fill:var(--zf-dim);font-size:12px}}.{CLASS} .head{{font-weight:600;font-size:14px}}"
    f".{CLASS} .mono{{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px}}"
)
INK, DIM, RULE, PAPER, A, B, C, D = (
    f"var(--zf-{name})" for name in ("ink", "dim", "rule", "paper", "a", "b", "c", "d")
)


class Sheet:
    """Shapes in the order in which they are drawn; lengths in pixels, the origin at the top left."""

    def __init__(self, width: int, height: int, title: str) -> None:
        """Starts an empty sheet.

        Args:
            width: of the whole drawing.
            height: likewise.
            title: what it shows, for those who cannot see it.
        """
        self._size = (width, height)
        self._title = title
        self._shapes: list[str] = []

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "none",
        stroke: str = "none",
        opacity: float = 1,
        line: float = 1,
        radius: float = 0,
    ) -> None:
        """Draws a rectangle; `opacity` is that of its fill."""
        self._shapes.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}" '
            f'fill="{fill}" fill-opacity="{_n(opacity)}" stroke="{stroke}" stroke-width="{_n(line)}"/>'
        )

    def circle(self, x: float, y: float, radius: float, *, fill: str = INK, opacity: float = 1) -> None:
        """Draws a dot."""
        self._shapes.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="{fill}" fill-opacity="{_n(opacity)}"/>'
        )

    def line(
        self, points: Sequence[tuple[float, float]], *, stroke: str = RULE, width: float = 1, dash: str = ""
    ) -> None:
        """Draws a line through points."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._shapes.append(
            f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{_n(width)}" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashed}/>'
        )

    def arrow(self, start: tuple[float, float], end: tuple[float, float], *, stroke: str = DIM) -> None:
        """Draws a straight arrow, to the right or downwards."""
        (x1, y1), (x2, y2) = start, end
        self.line([start, end], stroke=stroke, width=1.5)
        down = abs(y2 - y1) > abs(x2 - x1)
        tips = [(x2 - 4, y2 - 6), (x2 + 4, y2 - 6)] if down else [(x2 - 6, y2 - 4), (x2 - 6, y2 + 4)]
        self.line([tips[0], end, tips[1]], stroke=stroke, width=1.5)

    def text(self, x: float, y: float, words: str, *, kind: str = "", anchor: str = "start", fill: str = "") -> None:
        """Writes one line; `kind` is `head`, `dim`, `mono` or nothing, `anchor` is `start`, `middle` or `end`."""
        style = f' style="fill:{fill}"' if fill else ""
        kinds = f' class="{kind}"' if kind else ""
        self._shapes.append(
            f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}"{kinds}{style}>{escape(words)}</text>'
        )

    def lines(self, x: float, y: float, words: Iterable[str], *, kind: str = "dim", anchor: str = "start") -> None:
        """Writes lines below each other."""
        for number, line in enumerate(words):
            self.text(x, y + 16 * number, line, kind=kind, anchor=anchor)

    def __str__(self) -> str:
        """The whole file."""
        width, height = self._size
        shapes = "\n".join(self._shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{CLASS}" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">\n<title>{escape(self._title)}</title>\n<style>{_STYLE}</style>\n'
            f"{shapes}\n</svg>\n"
        )


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
