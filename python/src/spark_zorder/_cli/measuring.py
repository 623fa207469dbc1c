# SPDX-License-Identifier: Apache-2.0

"""The command that measures queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spark_zorder._cli.answer import Answer
from spark_zorder._cli.starting import spark_for
from spark_zorder._cli.target import target_in
from spark_zorder._cli.values import jsonable
from spark_zorder._comparison import figures_grid
from spark_zorder.benchmark import Benchmark, require_same_queries
from spark_zorder.errors import ZOrderFileExistsError

if TYPE_CHECKING:
    import argparse


def benchmark(options: argparse.Namespace) -> Answer:
    """Measures queries; compares them with what was measured before, and keeps them for later."""
    # Measuring takes long: what needs no session is looked at first.
    before = Benchmark.load(options.compare) if options.compare else None
    if before is not None:
        require_same_queries(before.texts, {query: query for query in options.query})
    if options.save and not options.overwrite and Path(options.save).exists():
        raise ZOrderFileExistsError("ZORDER_PATH_EXISTS", path=options.save)
    target = target_in(options)
    with spark_for(options, target, options.query) as spark:
        found = target.table(spark).benchmark(options.query, runs=options.runs)
    document = {"command": "benchmark", "table": options.table, "rows": found.document()["queries"]}
    grid, notes = figures_grid(found.queries), []
    if before is not None:
        comparison = found.compared_with(before)
        document["compared"] = [jsonable(row) for row in comparison.rows()]
        grid = comparison.grid()
    if options.save:
        found.save(options.save, overwrite=options.overwrite)
        notes.append(f"Written: {options.save}")
    return Answer(document, [grid], notes)
