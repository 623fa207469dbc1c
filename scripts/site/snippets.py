# SPDX-License-Identifier: Apache-2.0

"""Code blocks of a page in SQL and Python: whether they run in a test, and what they are said to show.

A comment above a block marks it, unseen by readers: `<!-- runs -->`, or `<!-- runs with events, trips -->` to have
these tables made first. What it shows is a block of text behind `<!-- shows -->`. A block that cannot run says why, and
is only parsed: `<!-- not run: it needs a server -->`. What is no whole code is not even parsed:
`<!-- not parsed: the form of a statement -->`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS = r"runs(?: with (?P<tables>[\w, ]+?))?|(?P<unrun>not run|not parsed): (?P<why>[^\n]+?)"
_BLOCK = re.compile(
    rf"^(?:<!-- (?P<mark>{_MARKS}) -->\n+)?```(?P<language>sql|python)\n(?P<code>.*?)^```\n"
    r"(?:\s*<!-- shows -->\n+```text\n(?P<shows>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"^<!-- (?:runs|not run|not parsed)", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A block of code.

    Attributes:
        line: where it stands in the page, or its mark.
        language: `sql` or `python`.
        code: its text.
        runs: whether it is marked to run.
        tables: the tables that it wants.
        shows: the text that it is said to show.
        is_code: whether it can be parsed.
        why_not: why it does not run; None without such a mark.
    """

    line: int
    language: str
    code: str
    runs: bool
    tables: tuple[str, ...]
    shows: str | None
    is_code: bool
    why_not: str | None

    @property
    def statements(self) -> list[str]:
        """The statements of SQL, without comments; no example has a semicolon in a string."""
        text = re.sub(r"--.*$", "", self.code, flags=re.MULTILINE)
        return [statement.strip() for statement in text.split(";") if statement.strip()]


def blocks(markdown: str) -> Iterator[Snippet]:
    """All blocks of SQL and Python of a page, from top to bottom.

    Raises:
        ValueError: a mark has no such block below it.
    """
    found = list(_BLOCK.finditer(markdown))

    def line_of(match: re.Match[str]) -> int:
        return markdown.count("\n", 0, match.start()) + 1

    without = {line_of(mark) for mark in _MARK.finditer(markdown)} - {line_of(b) for b in found if b["mark"]}
    if without:
        raise ValueError(f"no block of sql or python below the mark in line {min(without)}")
    for block in found:
        tables = tuple(name.strip() for name in (block["tables"] or "").split(",") if name.strip())
        runs = (block["mark"] or "").startswith("runs")
        is_code = block["unrun"] != "not parsed"
        yield Snippet(
            line_of(block), block["language"], block["code"], runs, tables, block["shows"], is_code, block["why"]
        )


def snippets(markdown: str) -> Iterator[Snippet]:
    """The blocks of a page that are marked to run, from top to bottom.

    Raises:
        ValueError: as `blocks`.
    """
    return (block for block in blocks(markdown) if block.runs)
