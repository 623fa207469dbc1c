# SPDX-License-Identifier: Apache-2.0

"""The commands that advise on a layout and that write a report of one."""

from __future__ import annotations

import re
import shlex
from functools import partial
from typing import TYPE_CHECKING

import spark_zorder
from spark_zorder._cli.answer import Answer, document_of
from spark_zorder._cli.starting import session_words, spark_for
from spark_zorder._cli.target import target_in
from spark_zorder._grid import grid_of
from spark_zorder._report import file_for
from spark_zorder._smaller_files import advised

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

# Their texts are long: they stand below the table.
_BELOW = ("statement", "warnings")
# As ADVISE LAYOUT writes them, at the end of the statement.
_OPTIONS = re.compile(r" OPTIONS \((.*)\)$")
_OPTION = re.compile(r"(\w+) = '([^']*)'")


def advise(options: argparse.Namespace) -> Answer:
    """Runs ADVISE LAYOUT: the best sets of columns, and the statement to run."""
    target = target_in(options)
    with spark_for(options, target, options.query) as spark:
        asked = {"queries": options.query or None, "recording": options.recording}
        data, rows, note = advised(partial(target.table(spark).advise, *options.on, **asked), len(options.on))
    document = document_of("advise", rows, table=options.table)
    if not rows:
        return Answer(document, notes=["There is nothing to advise."])
    shown = [name for name in data.columns if name not in _BELOW]
    warnings = dict.fromkeys(warning for row in rows for warning in row.warnings or ())
    statement = rows[0].statement
    nothing = "Nothing to run: no set of columns reads clearly less than the files as they are."
    run = command_of(options, rows[0].columns, statement) if statement else None
    document["run"] = run
    advice = [f"Run: {run}", f"In SQL: {statement}"] if run else [nothing]
    notes = [*advice, *(f"Note: {warning}" for warning in filter(None, (note, *warnings)))]
    return Answer(document, [grid_of(shown, [[row[name] for name in shown] for row in rows])], notes)


def command_of(options: argparse.Namespace, columns: Sequence[str], statement: str) -> str:
    """Returns the command line that does what an OPTIMIZE statement does, in the session that was asked for.

    Args:
        options: the parsed command line that the advice is for.
        columns: the columns to cluster by.
        statement: the statement, whose options count.
    """
    words = ["spark-zorder", "optimize", options.table, "--by", ",".join(columns)]
    written = _OPTIONS.search(statement)
    for key, value in _OPTION.findall(written[1]) if written else ():
        words += ["--option", f"{key}={value}"]
    return shlex.join([*words, *session_words(options)])


def report(options: argparse.Namespace) -> Answer:
    """Writes the report, a page of HTML."""
    # Spark takes seconds to start: what needs none is checked first.
    file_for(options.out, overwrite=options.overwrite)
    target = target_in(options)
    with spark_for(options, target) as spark:
        page = spark_zorder.report(target.table(spark), options.on or None, options.out, overwrite=options.overwrite)
    document = {"command": "report", "table": options.table, "path": str(page), "bytes": page.stat().st_size}
    return Answer(document, notes=[f"Written: {options.out}"])
