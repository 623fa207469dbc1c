# SPDX-License-Identifier: Apache-2.0

"""Errors as people read them: the message with its condition, and no stack trace."""

from __future__ import annotations

import logging
import re
from typing import Any

from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

# Exit codes; argparse's own for words that are no command is 2, and a shell's for Ctrl-C is 128 + SIGINT.
OK = 0
STATEMENT_FAILED = 1
INTERRUPTED = 130

_DELTA = "--delta adds Delta Lake to the session that this command starts"
_HINTS = {
    "ZORDER_DELTA_NOT_ON_CLASS_PATH": f"{_DELTA}.",
    "ZORDER_ICEBERG_NOT_ON_CLASS_PATH": "--iceberg adds Iceberg to the session that this command starts.",
    "ZORDER_NO_TABLE_ORDER": "On the command line: --by a,b.",
    "ZORDER_PATH_EXISTS": "On the command line: --overwrite.",
    "DATA_SOURCE_NOT_FOUND": f"{_DELTA}; --packages and --jars add other formats.",
}
# What Spark puts behind a message of several kinds of errors: the query's plan, and the JVM's frames.
_BEHIND = re.compile(r";\n(?='?[A-Z+])|\n\s*JVM stacktrace|\n\s+at [\w.$]+\(|\n\s*Caused by: ")


# They write an error with its stack trace as soon as it is asked for its condition.
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class CommandError(Exception):
    """A command that cannot be carried out, for a reason that is not Spark's."""


def condition_of(error: Exception) -> str | None:
    """Returns the error's condition, where it has one."""
    return error.getCondition() if isinstance(error, PySparkException) else None


def silence() -> None:
    """Keeps what PySpark logs of an error off the standard error."""
    for name in _LOGGERS:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)


def text_of(error: Exception) -> str:
    """Returns what to tell: the message, and what of the command line would help."""
    text = _message(error)
    hint = _HINTS.get(condition_of(error) or "")
    return f"{text}\n{hint}" if hint else text


def document_of(error: Exception) -> dict[str, Any]:
    """Returns the error as `--json` writes it."""
    state = error.getSqlState() if isinstance(error, PySparkException) else None
    return {"error": {"condition": condition_of(error), "sql_state": state, "message": text_of(error)}}


def _message(error: Exception) -> str:
    # An error of the JVM that PySpark has no class for.
    java = getattr(error, "java_exception", None)
    whole = str(error if java is None else java.toString())
    text = _BEHIND.split(whole)[0].strip()
    return text or type(error).__name__
