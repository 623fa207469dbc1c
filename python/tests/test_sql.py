# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_zorder import ZOrderTypeError, ZOrderValueError, _quoting, _sql

PARTS = st.text(min_size=1).filter(lambda text: bool(text.strip()))
NASTY = ["a`b", "`", "``", "a.b", "a b", "größe", "列", "a\nb", "'; DROP TABLE t; --", "x) OPTIONS ('a' = 'b'", "a\\"]

# Spark's own lexer rules, kept apart from the code that they check.
BACKQUOTED = re.compile(r"`((?:[^`]|``)*)`")
STRING = re.compile(r"'((?:[^'\\]|\\.|'')*)'", re.DOTALL)


def unescape_as_spark(body: str) -> str:
    """Spark's unescapeSQLString for what can stand after a backslash here: a backslash or a quote."""
    return re.sub(r"\\([\\'])", r"\1", body)


@given(st.lists(PARTS, min_size=1, max_size=4))
def test_quoted_parts_come_back(parts: list[str]) -> None:
    text = ".".join(_quoting.quote_part(part) for part in parts)
    assert _quoting.split_identifier(text) == tuple(parts)
    assert _quoting.quote_identifier(text) == text


@given(PARTS)
def test_a_quoted_part_is_one_token_for_spark(part: str) -> None:
    match = BACKQUOTED.fullmatch(_quoting.quote_part(part))
    assert match is not None
    assert match[1].replace("``", "`") == part


@given(st.text())
def test_a_string_is_one_token_for_spark_and_means_the_text(text: str) -> None:
    match = STRING.fullmatch(_quoting.quote_string(text))
    assert match is not None
    assert unescape_as_spark(match[1]) == text


@given(st.text())
def test_any_text_is_a_name_or_an_error_but_never_sql(text: str) -> None:
    with contextlib.suppress(ZOrderValueError):
        assert re.fullmatch(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*", _quoting.quote_identifier(text))


@pytest.mark.parametrize("part", NASTY)
def test_nasty_names(part: str) -> None:
    assert _quoting.split_identifier(f"db.{_quoting.quote_part(part)}.c") == ("db", part, "c")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("t", ("t",)),
        ("db.t", ("db", "t")),
        ("`my.db`.t", ("my.db", "t")),
        ("c.`a``b`.`x`", ("c", "a`b", "x")),
        ("dep delay", ("dep delay",)),
        ("my-table", ("my-table",)),
    ],
)
def test_names_as_users_write_them(text: str, parts: tuple[str, ...]) -> None:
    assert _quoting.split_identifier(text) == parts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a part is empty"),
        ("  ", "a part is empty"),
        ("a.", "a part is empty"),
        (".a", "a part is empty"),
        ("a..b", "a part is empty"),
        ("``", "a part is empty"),
        ("`a", "a back-quote is not closed"),
        ("`a``", "a back-quote is not closed"),
        ("`", "a back-quote is not closed"),
        ("a`b", "a back-quote stands inside a part that is not quoted"),
        ("`a`b", "something other than a dot follows a closing back-quote"),
    ],
)
def test_no_names(text: str, reason: str) -> None:
    with pytest.raises(ZOrderValueError) as caught:
        _quoting.quote_identifier(text)
    assert caught.value.getCondition() == "ZORDER_INVALID_IDENTIFIER"
    assert caught.value.getSqlState() == "42602"
    assert caught.value.getMessageParameters() == {"text": repr(text), "reason": reason}


def test_a_name_is_a_string() -> None:
    with pytest.raises(ZOrderTypeError):
        _quoting.quote_identifier(None)  # type: ignore[arg-type]


def test_a_path_keeps_its_back_quotes_inside() -> None:
    assert _quoting.quote_path("/data/a`b c", "delta") == "delta.`/data/a``b c`"


def test_a_comment_in_the_predicate_cannot_swallow_zorder_by() -> None:
    statement = _sql.optimize("`t`", ["a"], "d = 1 -- today\\", {})
    assert statement == "OPTIMIZE `t` WHERE d = 1 -- today\\ \n ZORDER BY (`a`)"
