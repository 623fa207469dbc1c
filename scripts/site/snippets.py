# SPDX-License-Identifier: Apache-2.0

"""Code blocks of a page that are marked to run, and what they are said to show.

A comment above a block marks it, unseen by readers: `<!-- runs -->`, or `<!-- runs with events, trips -->` to have
these tables made first. What it shows is a block of text behind `<!-- shows -->`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = re.compile(
    r"^<!-- runs(?: with (?P<tables>[\w, ]+?))? -->\n+```(?P<language>sql|python)\n(?P<code>.*?)^```\n"
    r"(?:\s*<!-- shows -->\n+```text\n(?P<shows>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"^<!-- runs", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A marked block: the tables that it wants, its language (`sql` or `python`), its code, the text that it shows."""

    line: int
    tables: tuple[str, ...]
    language: str
    code: str
    shows: str | None

    @property
    def statements(self) -> list[str]:
        """The statements of SQL, without comments; no example has a semicolon in a string."""
        text = re.sub(r"--.*$", "", self.code, flags=re.MULTILINE)
        return [statement.strip() for statement in text.split(";") if statement.strip()]


def snippets(markdown: str) -> Iterator[Snippet]:
    """The marked blocks of a page, from top to bottom.

    Raises:
        ValueError: a mark has no block of SQL or Python below it.
    """
    found = list(_BLOCK.finditer(markdown))
    marks = [markdown.count("\n", 0, mark.start()) + 1 for mark in _MARK.finditer(markdown)]
    lines = [markdown.count("\n", 0, block.start()) + 1 for block in found]
    if marks != lines:
        raise ValueError(f"no block of sql or python below the mark in line {sorted(set(marks) - set(lines))[0]}")
    for line, block in zip(lines, found, strict=True):
        tables = tuple(name.strip() for name in (block["tables"] or "").split(",") if name.strip())
        yield Snippet(line, tables, block["language"], block["code"], block["shows"])
