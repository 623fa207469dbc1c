# SPDX-License-Identifier: Apache-2.0

"""The commands that are one statement each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder import _sql
from spark_zorder._cli import footers
from spark_zorder._cli.answer import Answer, document_of
from spark_zorder._cli.starting import spark_for
from spark_zorder._cli.target import target_in
from spark_zorder._grid import grid_of
from spark_zorder._progress import progress
from spark_zorder.errors import message_of
from spark_zorder.skipping import explain_skipping

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame

    from spark_zorder.table import ZOrderTable


def optimize(options: argparse.Namespace) -> Answer:
    """Runs OPTIMIZE, or foresees what it would do."""
    target = target_in(options)
    settings = dict(options.option)
    if options.incremental:
        settings["mode"] = "incremental"
    if options.keep_old is not None:
        settings["keep_old"] = options.keep_old
    with spark_for(options, target) as spark:
        name = target.table(spark).name
        statement = _sql.optimize(name, options.by, options.where, settings, dry_run=options.dry_run)
        with progress(spark):
            (row,) = spark.sql(statement).collect()
    grids = [grid_of(row.layout[0].__fields__, row.layout)] if row.layout else []
    return Answer(document_of("optimize", [row], table=options.table), grids, [row.summary])


def layout(options: argparse.Namespace) -> Answer:
    """Runs DESCRIBE LAYOUT: one row per column, or per file and column."""
    if options.extended:
        return files(options)
    target = target_in(options)
    if read := footers.layout(options, target):
        return read
    with spark_for(options, target) as spark:
        table = target.table(spark)
        # What people read is rounded; programs get exact numbers.
        if options.json:
            return answer_of("layout", table.layout(*options.on, where=options.where), table=options.table)
        answer = answer_of("layout", spark.sql(_layout(table, options)), table=options.table)
    return answer if answer.document["rows"] else noted(answer, _no_statistics(options))


def files(options: argparse.Namespace) -> Answer:
    """Runs DESCRIBE LAYOUT EXTENDED."""
    target = target_in(options)
    if read := footers.files(options, target):
        return read
    with spark_for(options, target) as spark:
        table = target.table(spark)
        answer = answer_of("files", spark.sql(_layout(table, options, extended=True)), table=options.table)
        if answer.document["rows"] or options.json:
            return answer
        # It has a row for each column, also without files.
        if not options.on and not spark.sql(_layout(table, options)).collect():
            return noted(answer, _no_statistics(options))
    return noted(answer, f"{options.table} has no files{' that --where selects' if options.where else ''}.")


def _layout(table: ZOrderTable, options: argparse.Namespace, *, extended: bool = False) -> str:
    return _sql.describe_layout(table.name, options.on, extended=extended, where=options.where)


def _no_statistics(options: argparse.Namespace) -> str:
    return message_of("ZORDER_NO_STATISTICS_OF_ANY_COLUMN", argument=options.table)


def noted(answer: Answer, note: str) -> Answer:
    """Returns the answer with a sentence for people in place of its rows."""
    return Answer(answer.document, notes=[note])


def skipping(options: argparse.Namespace) -> Answer:
    """Runs EXPLAIN SKIPPING."""
    with spark_for(options, queries=[options.query]) as spark:
        answer = answer_of("skipping", explain_skipping(spark, options.query), query=options.query)
    note = "The query scans no files of tables that this can tell of."
    return answer if answer.document["rows"] else noted(answer, note)


def analyze(options: argparse.Namespace) -> Answer:
    """Runs ANALYZE TABLE ... COMPUTE FILE STATISTICS."""
    target = target_in(options)
    with spark_for(options, target) as spark:
        rows = target.table(spark).computeFileStatistics(*options.columns, allColumns=options.all)
        return answer_of("analyze", rows, table=options.table)


def answer_of(command: str, data: DataFrame, **asked: str) -> Answer:
    """Returns the rows of a statement."""
    rows = data.collect()
    return Answer(document_of(command, rows, **asked), [grid_of(data.columns, rows)] if rows else [])
