# SPDX-License-Identifier: Apache-2.0

"""Pages of reference that are made from the code: settings, functions, errors, command line, mistakes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import mistakes

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CONDITIONS = ROOT / "jvm/base/src/main/resources/error/zorder-error-conditions.json"
FUNCTIONS = ROOT / "jvm/sql/src/main/scala/io/sparkzorder/plan/SqlFunctions.scala"

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_MADE = "<!-- Made from the code by `make references`; a test fails when it is stale. Edit the code. -->\n"
_WIDTH = 100


def pages(spark: SparkSession) -> dict[str, str]:
    """All pages by their names in docs/.

    Args:
        spark: a classic or Connect session with the extension.
    """
    return {
        "settings.md": settings(spark),
        "functions.md": functions(spark),
        "errors.md": errors(),
        "command-line-options.md": command_line(),
        "mistakes.md": mistakes.page(spark, _MADE),
    }


def settings(spark: SparkSession) -> str:
    """The settings that are registered in a session, with the texts that `SET -v` shows."""
    # Settings are registered when the extension first reads one.
    with TemporaryDirectory() as folder:
        spark.range(1).write.parquet(f"{folder}/t")
        spark.sql(f"OPTIMIZE parquet.`{folder}/t` ZORDER BY (id) DRY RUN").collect()
    found = [row for row in spark.sql("SET -v").collect() if row["key"].startswith("spark.sql.zorder.")]
    lines = [
        "# Settings",
        "",
        _MADE,
        "All are settings of the session (`SET key = value`). This is what `SET -v` shows of them;",
        "[the reference](reference.md#settings) has their types and more words.",
        "",
    ]
    for row in sorted(found, key=lambda row: str(row["key"])):
        default = row["value"] if row["value"] not in ("<undefined>", "", None) else None
        shown = f"`{default}`" if default is not None else "unset"
        lines += [f"## `{row['key']}`", "", f"Default: {shown}. Since {row['Since version']}.", "", row["meaning"], ""]
    return "\n".join(lines)


def functions(spark: SparkSession) -> str:
    """What `DESCRIBE FUNCTION EXTENDED` says of each function."""
    lines = ["# SQL functions", "", _MADE]
    lines += [
        "What `DESCRIBE FUNCTION EXTENDED` shows; a test runs the examples. [The reference](reference.md#functions)"
    ]
    lines += ["has types and limits in a table, [Python](python.md) the same functions for DataFrames.", ""]
    for name in re.findall(r'function\[\w+\]\("(\w+)"\)', FUNCTIONS.read_text()):
        rows = [row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect()]
        usage = next(text for text in rows if text.startswith("Usage:")).removeprefix("Usage:")
        extended = next(text for text in rows if text.startswith("Extended Usage:")).removeprefix("Extended Usage:")
        lines += [f"## `{name}`", "", *_call(usage), "", "```text", _dedented(extended), "```", ""]
    return "\n".join(lines)


def _call(usage: str) -> Iterator[str]:
    """The calls of a usage text as code, the rest as prose."""
    for line in filter(None, (line.strip() for line in usage.splitlines())):
        call, dash, meaning = line.partition(" - ")
        yield f"`{call}`: {meaning}" if dash else line


def _dedented(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines).strip("\n")


def errors() -> str:
    """Every condition with its SQLSTATE and message."""
    conditions: dict[str, dict[str, Any]] = json.loads(CONDITIONS.read_text())
    lines = ["# Errors", "", _MADE]
    lines += [
        "Conditions of the extension, as `error.getCondition()` in Python and `getCondition` in Scala return them, with"
    ]
    lines += ["their SQLSTATE. Parts in `<...>` are filled in. Unless a text says otherwise, nothing was changed."]
    lines += [
        "[Troubleshooting](troubleshooting.md) has the frequent ones. Errors of the Python package alone are in its"
    ]
    lines += ["docstrings ([Python](python.md)).", ""]
    for name, condition in sorted(conditions.items()):
        lines += [f"## `{name}`", "", f"SQLSTATE `{condition['sqlState']}`", "", _quoted(condition["message"]), ""]
        for part, below in sorted(condition.get("subClass", {}).items()):
            lines += [f"### `{name}.{part}`", "", _quoted(below["message"]), ""]
    return "\n".join(lines)


def _quoted(message: list[str]) -> str:
    return "```text\n" + "\n".join(message) + "\n```"


def command_line() -> str:
    """The help of the program and of each of its commands."""
    from spark_zorder._cli.parser import new_parser

    lines = ["# Command line", "", _MADE]
    lines += ["`spark-zorder` comes with the Python package; `python -m spark_zorder` is the same.", ""]
    for parser in _parsers(new_parser()):
        lines += [f"## `{parser.prog}`", "", "```text", parser.format_help().strip(), "```", ""]
    return "\n".join(lines)


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    # The width of a terminal must not count.
    form = parser.formatter_class
    parser.formatter_class = lambda prog: form(prog, width=_WIDTH)
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in dict.fromkeys(action.choices.values()):
                yield from _parsers(below)


def main() -> int:
    """Writes the pages."""
    from pyspark.sql import SparkSession

    from spark_zorder import configure_spark_with_zorder

    builder = (
        SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    )
    spark = configure_spark_with_zorder(builder).getOrCreate()
    try:
        for name, text in pages(spark).items():
            (DOCS / name).write_text(text)
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
