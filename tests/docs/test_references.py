# SPDX-License-Identifier: Apache-2.0

"""Pages made from the code are what the code says now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from launching import ROOT
from references import DOCS, pages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = ("settings.md", "functions.md", "errors.md", "command-line-options.md", "mistakes.md")


@pytest.fixture(scope="module")
def made(spark: SparkSession) -> dict[str, str]:
    return pages(spark)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_not_stale(made: dict[str, str], name: str) -> None:
    assert (DOCS / name).read_text() == made[name], "run `make references`"


def test_all_pages_are_compared(made: dict[str, str]) -> None:
    assert sorted(made) == sorted(NAMES)


def test_defaults_in_the_reference_are_those_of_the_code(made: dict[str, str]) -> None:
    """The table of docs/reference.md has types and words of its own, and the same defaults."""
    table = (ROOT / "docs" / "reference.md").read_text()
    rows = re.findall(r"^\| `(spark\.sql\.zorder\.[\w.]+)` \| [^|]+ \| (`[^`]+`|unset) \|", table, re.MULTILINE)
    coded = dict(re.findall(r"^## `([\w.]+)`\n\nDefault: (`[^`]+`|unset)\.", made["settings.md"], re.MULTILINE))

    def same(one: str, other: str) -> bool:
        units = {"m": 1024**2, "k": 1024, "g": 1024**3, "s": 1000}

        def number(text: str) -> str:
            found = re.fullmatch(r"`(\d+)(ms|[kmgs])?b?`", text)
            return text if found is None else str(int(found[1]) * units.get(found[2] or "", 1))

        return number(one) == number(other)

    assert dict(rows).keys() == coded.keys()
    assert [(key, shown, coded[key]) for key, shown in rows if not same(shown, coded[key])] == []
