# SPDX-License-Identifier: Apache-2.0

"""What methods are called with, checked before it becomes a statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from spark_zorder.errors import ZOrderValueError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Sequence

OptionValue: TypeAlias = str | int | float | bool

# What stands between commas, but for those in back-quotes.
_BETWEEN_COMMAS = re.compile("(?:`(?:[^`]|``)*`|[^,`])+")


def option_texts(options: Mapping[str, OptionValue] | None) -> dict[str, str]:
    """Returns options as a statement has them.

    Args:
        options: values by name; None for none.

    Raises:
        ZOrderTypeError: it is no dict, or as `option_text` (`ZORDER_INVALID_TYPE`).
    """
    if options is not None and not isinstance(options, Mapping):
        raise wrong_type("options", "a dict", options)
    return {key: option_text(key, value) for key, value in (options or {}).items()}


def option_text(key: str, value: OptionValue) -> str:
    """Returns the value of an option as a statement has it.

    Args:
        key: the option's name, for the errors.
        value: its value; a bool becomes `true` or `false`.

    Raises:
        ZOrderTypeError: the key is not a string, or the value is none of the types (`ZORDER_INVALID_TYPE`).
    """
    if not isinstance(key, str):
        raise wrong_type("The name of an option", "a string", key)
    if not isinstance(value, (str, int, float)):
        raise wrong_type(f"The option {key!r}", "a string, a number or a bool", value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def column_names(method: str, cols: Sequence[object]) -> list[str]:
    """Returns the column names that a method was called with, as arguments or as one list.

    Args:
        method: the method's name, for the errors.
        cols: what it was called with.

    Raises:
        ZOrderTypeError: one is not a string (`ZORDER_INVALID_TYPE`).
        ZOrderValueError: one is a list of names with commas (`ZORDER_COLUMNS_IN_ONE_STRING`).
    """
    names = list(cols[0]) if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else list(cols)
    for name in names:
        if not isinstance(name, str):
            raise wrong_type(f"A column of {method}", "a string", name)
        if len(parts := _BETWEEN_COMMAS.findall(name)) > 1:
            columns = ", ".join(repr(part.strip()) for part in parts)
            raise ZOrderValueError("ZORDER_COLUMNS_IN_ONE_STRING", method=method, text=repr(name), columns=columns)
    return [str(name) for name in names]


def whole(argument: str, value: int) -> int:
    """Returns the number, which must be an int, 0 or more, of nine digits at most."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise wrong_type(argument, "an int, 0 or more", value)
    return value


def predicate(where: str | None) -> str | None:
    """Returns the predicate, which must be a text that is not empty."""
    if where is not None and not isinstance(where, str):
        raise wrong_type("where", "a string", where)
    if where is not None and not where.strip():
        raise ZOrderValueError(
            "ZORDER_EMPTY_ARGUMENT", argument="where", hint="give a predicate in SQL, or leave it out"
        )
    return where


def choice(argument: str, value: str | None, allowed: Sequence[str]) -> str | None:
    """Returns the value as it is spelled here; any case will do, as in the table's properties."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise wrong_type(argument, "a string", value)
    if value.lower() not in allowed:
        raise ZOrderValueError(
            "ZORDER_UNKNOWN_ARGUMENT", argument=argument, value=repr(value), allowed=", ".join(allowed)
        )
    return value.lower()
