# SPDX-License-Identifier: Apache-2.0

"""When footers are not asked: each doubt ends in Spark's own answer."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class NotCertain(Exception):
    """Spark might say something else of this table; the text says why."""


def doubted(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Makes any failure of a function a doubt: a file that pyarrow cannot read may be one for Spark."""

    @wraps(function)
    def answer(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        try:
            return function(*arguments, **named)
        except NotCertain:
            raise
        except Exception as error:
            raise NotCertain(f"{type(error).__name__}: {error}") from error

    return answer
