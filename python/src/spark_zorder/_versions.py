# SPDX-License-Identifier: Apache-2.0

"""Versions of what the package was built with, and the file format they are written in."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_LINE = re.compile(r"(?P<key>(?:\\.|[^\\=:\s])+)\s*[=:]?\s*(?P<value>.*)", re.DOTALL)


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        name = match[1]
        return chr(int(name[1:], 16)) if len(name) == 5 else _CONTROL.get(name, name)

    return _ESCAPE.sub(plain, text)


def parse_properties(text: str) -> dict[str, str]:
    r"""Reads a java-properties text: versions.properties and spark-defaults.conf are written so.

    Args:
        text: lines `key=value`, `key: value` or `key value`; `#` and `!` start a comment line.

    Returns:
        The last value of each key, trailing space removed as Spark does.

    Example:
        >>> parse_properties("# Spark\nspark.jars  /a.jar\n")
        {'spark.jars': '/a.jar'}
    """
    # A backslash at the end of a line joins the next one to it, without its leading space.
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", text)
    found = {}
    for line in re.split(r"\r\n|\r|\n", joined):
        content = line.strip(" \t\f")
        match = _LINE.match(content)
        if match and content[0] not in "#!":
            found[_unescape(match["key"])] = _unescape(match["value"]).strip()
    return found


@cache
def versions() -> dict[str, str]:
    """Returns the project's versions by name: `project`, `spark`, `delta` and so on.

    Raises:
        RuntimeError: neither the package nor the checkout around it has the file.
    """
    in_checkout = PACKAGE.parents[2] / "project" / "versions.properties"
    for path in (PACKAGE / "versions.properties", in_checkout):
        if path.is_file():
            return parse_properties(path.read_text(encoding="utf-8"))
    raise RuntimeError(f"{PACKAGE / 'versions.properties'} is missing: reinstall spark-zorder from its wheel.")
