# SPDX-License-Identifier: Apache-2.0

"""The commands that advise on a layout and that write a report of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import spark_zorder
from spark_zorder._cli.answer import Answer
from spark_zorder._cli.starting import spark_for
from spark_zorder._cli.target import target_of
from spark_zorder._cli.values import jsonable
from spark_zorder._grid import grid_of
from spark_zorder._report import file_for

if TYPE_CHECKING:
    import argparse

# Their texts are long: they stand below the table.
_BELOW = ("statement", "warnings")


def advise(options: argparse.Namespace) -> Answer:
    """Runs ADVISE LAYOUT: the best sets of columns, and the statement to run."""
    target = target_of(options.table, options.format, is_local=not options.remote)
    with spark_for(options, target, options.query) as spark:
        data = target.table(spark).advise(*options.on, queries=options.query or None, event_log=options.event_log)
        rows = data.collect()
    document = {"command": "advise", "table": options.table, "rows": [jsonable(row) for row in rows]}
    if not rows:
        return Answer(document, notes=["There is nothing to advise."])
    shown = [name for name in data.columns if name not in _BELOW]
    warnings = dict.fromkeys(warning for row in rows for warning in row.warnings or ())
    statement = rows[0].statement
    advice = (
        f"Run: {statement}" if statement else "Nothing to run: no set of columns reads less than the files as they are."
    )
    notes = [advice, *(f"Note: {warning}" for warning in warnings)]
    return Answer(document, [grid_of(shown, [[row[name] for name in shown] for row in rows])], notes)


def report(options: argparse.Namespace) -> Answer:
    """Writes the report, a page of HTML."""
    # Spark takes seconds to start: what needs none is checked first.
    file_for(options.out, overwrite=options.overwrite)
    target = target_of(options.table, options.format, is_local=not options.remote)
    with spark_for(options, target) as spark:
        page = spark_zorder.report(target.table(spark), options.on or None, options.out, overwrite=options.overwrite)
    document = {"command": "report", "table": options.table, "path": str(page), "bytes": page.stat().st_size}
    return Answer(document, notes=[f"Written: {options.out}"])
