# SPDX-License-Identifier: Apache-2.0

"""The errors of this package: PySpark's own classes, each with a condition and an SQLSTATE."""

from __future__ import annotations

import re
from typing import NamedTuple

from pyspark.errors import (
    PySparkException,
    PySparkImportError,
    PySparkRuntimeError,
    PySparkTypeError,
    PySparkValueError,
)


class _Condition(NamedTuple):
    sql_state: str
    message: str


_RESTART = (
    "Restart Spark with these settings (with Spark Connect: restart the server; in a notebook: restart the kernel, "
    "as stop() leaves the JVM running and a running JVM takes no new jars):\n<settings>"
)

_DELTA_STATISTICS = (
    "For those of a Delta table, name columns in the table property 'delta.dataSkippingStatsColumns' (or raise "
    "'delta.dataSkippingNumIndexedCols') and run OPTIMIZE ... ZORDER BY with them."
)

_CONDITIONS = {
    "ZORDER_EXTENSION_NOT_LOADED": _Condition(
        "55000", "This Spark session runs without the extension <extension>. " + _RESTART
    ),
    "ZORDER_EXTENSION_NOT_ON_CLASS_PATH": _Condition(
        "55000",
        "spark.sql.extensions names <extension>, but Spark could not load that class and went on without it: "
        "the jar was not there when the JVM started. " + _RESTART,
    ),
    "ZORDER_DELTA_NOT_LOADED": _Condition(
        "55000", "This Spark session runs without Delta's extension <extension>. " + _RESTART
    ),
    "ZORDER_ICEBERG_NOT_LOADED": _Condition(
        "55000", "This Spark session runs without Iceberg's extension <extension>. " + _RESTART
    ),
    "ZORDER_JVM_WITHOUT_JARS": _Condition(
        "55000",
        "The JVM of this process runs already and was started without the jars of: <missing>. " + _RESTART,
    ),
    "ZORDER_JAR_NOT_BUNDLED": _Condition(
        "F0000",
        "<folder> holds no jar of this package. Install the package from its wheel; in a checkout run `make wheel` "
        "first.",
    ),
    "ZORDER_OTHER_SPARK": _Condition(
        "56038",
        "This package has no jar for Spark <running>: its jars are for Spark <sparks>. Use one of these (for a Spark "
        "of this process: pip install 'pyspark~=<newest>.0', and SPARK_HOME, if it is set, must name the same), or a "
        "version of spark-zorder that has a jar for yours.",
    ),
    "ZORDER_ICEBERG_ON_OTHER_SPARK": _Condition(
        "56038",
        "Iceberg tables need Spark <sparks> with Iceberg <iceberg>, which has no runtime for Spark <running>. Use that "
        "Spark (for one of this process: pip install 'pyspark~=<newest>.0', and SPARK_HOME, if it is set, must name "
        "the same), or start without Iceberg: Delta and Parquet tables do not need it.",
    ),
    "ZORDER_INVALID_IDENTIFIER": _Condition(
        "42602",
        "<text> is not an identifier: <reason>. Write parts with dots between them, as in db.t; "
        "put back-quotes around a part that has a dot or a back-quote in it, as in `a.b` or `a``b`.",
    ),
    "ZORDER_NO_COLUMNS": _Condition(
        "42601", "<method> needs at least one column. Name columns as strings, as in <method>('a', 'b.c', '`d.e`')."
    ),
    "ZORDER_COLUMNS_IN_ONE_STRING": _Condition(
        "42602",
        "<method> takes a string for each column, but was given <text>. Write <method>(<columns>); "
        "a column with a comma in its name stands in back-quotes, as in `a,b`.",
    ),
    "ZORDER_COLUMNS_AND_ALL": _Condition(
        "42601", "<method> was given columns and allColumns=True. Name columns, or ask for all of them."
    ),
    "ZORDER_EMPTY_ARGUMENT": _Condition("22023", "<argument> is empty; <hint>."),
    "ZORDER_WHERE_ALREADY_SET": _Condition(
        "42601", "where() was called before, with: <predicate>. Join both conditions with AND in one call."
    ),
    "ZORDER_UNKNOWN_FORMAT": _Condition("22023", "The table format <format> is not one of: <formats>."),
    "ZORDER_ICEBERG_BY_PATH": _Condition(
        "0A000",
        "An Iceberg table has no path that says which of its metadata is the newest: its catalog does. Use "
        "ZOrderTable.forName(spark, 'catalog.db.t').",
    ),
    "ZORDER_UNKNOWN_ARGUMENT": _Condition("22023", "<argument> is <value>, but must be one of: <allowed>."),
    "ZORDER_ORDER_WITHOUT_COLUMNS": _Condition(
        "42601",
        "sortBy was given <argument> and no column. Name columns as well; sortBy() alone ends the order.",
    ),
    "ZORDER_PLOT_NOT_INSTALLED": _Condition(
        "F0000",
        "<module> is not installed, which figures and reports need. Run: pip install 'spark-zorder[plot]'",
    ),
    "ZORDER_NOT_A_LAYOUT": _Condition(
        "42703",
        "<argument> has no column <missing>. Give a ZOrderTable, what spark_zorder.plot.extents(...) returned, or the "
        "rows of <statement> as a pandas or Spark DataFrame.",
    ),
    "ZORDER_COLUMN_NOT_DESCRIBED": _Condition(
        "42703", "<argument> says nothing of the column <column>; it has: <columns>."
    ),
    "ZORDER_NO_VERSIONS": _Condition(
        "0A000",
        "<table> cannot be described at a version: only Delta tables, in a session with Delta Lake, have versions. "
        "Leave version out, and keep plot.extents(table) from before a change to compare with.",
    ),
    "ZORDER_NO_FILES": _Condition(
        "02000", "<argument> has no files, so that there is nothing to draw. Write rows to the table first."
    ),
    "ZORDER_NO_STATISTICS_OF_ANY_COLUMN": _Condition(
        "02000",
        "<argument> keeps statistics of none of its columns by which files could be told apart. "
        + _DELTA_STATISTICS
        + " Of some types there are none (BOOLEAN and BINARY in Delta; ARRAY, MAP and VARIANT in Parquet, too): store "
        "what you filter by in a column of another type.",
    ),
    "ZORDER_NO_BOUNDS": _Condition(
        "02000",
        "No file of <argument> has bounds of the column <column>: it holds NULL only, or has no statistics. Those of a "
        "Parquet table are written by OPTIMIZE. " + _DELTA_STATISTICS,
    ),
    "ZORDER_TOO_MANY_COLUMNS": _Condition(
        "54011", "<method> draws at most <limit> columns, but was given <count>. Name the columns to draw."
    ),
    "ZORDER_BITS_OUT_OF_RANGE": _Condition(
        "22003",
        "bits is <bits>, but must be from 1 to <limit>: a grid of 2 ** bits steps a side is drawn point by point.",
    ),
    "ZORDER_OTHER_QUERIES": _Condition(
        "22023",
        "Both benchmarks must have the same queries under the same names, but these are in one only, or differ: "
        "<queries>. Measure the queries of the first again: table.benchmark(before.texts).",
    ),
    "ZORDER_NOT_A_BENCHMARK": _Condition(
        "22023",
        "<path> is no file that Benchmark.save or `spark-zorder benchmark --save` has written. Give one of these.",
    ),
    "ZORDER_PATH_EXISTS": _Condition(
        "42710", "<path> exists and was left as it is. Give another path, or overwrite=True to replace it."
    ),
    "ZORDER_FOLDER_NOT_FOUND": _Condition(
        "42704", "The folder <folder> does not exist. Create it, or give another path."
    ),
    "ZORDER_INVALID_TYPE": _Condition("42K09", "<argument> must be <expected>, but is <value> of type <actual>."),
}


def message_of(condition: str, /, **parameters: str) -> str:
    """Returns the text of a condition, as errors have it."""
    # One pass over the template, so that a parameter's own text is never taken for a placeholder.
    return re.sub(r"<(\w+)>", lambda match: parameters[match[1]], _CONDITIONS[condition].message)


class _ConditionError(PySparkException):
    """An error told by its condition; the text, the parameters and the SQLSTATE follow from it."""

    def __init__(self, condition: str, /, **parameters: str) -> None:
        message = message_of(condition, **parameters)
        super().__init__(message=message, errorClass=condition, messageParameters=parameters)

    def getSqlState(self) -> str:
        """Returns the SQLSTATE of the condition."""
        return _CONDITIONS[str(self.getCondition())].sql_state


class ZOrderSessionError(_ConditionError, PySparkRuntimeError):
    """The Spark session, or what it would be started from, cannot run this package's statements."""


class ZOrderValueError(_ConditionError, PySparkValueError):
    """An argument has the right type and a value that cannot be used; it is a `ValueError` too."""


class ZOrderTypeError(_ConditionError, PySparkTypeError):
    """An argument has the wrong type; it is a `TypeError` too."""


class ZOrderImportError(_ConditionError, PySparkImportError):
    """A package that only a part of this one needs is not installed; it is an `ImportError` too."""


class ZOrderFileExistsError(_ConditionError, FileExistsError):
    """A file would be replaced that nobody asked to replace."""


class ZOrderFileNotFoundError(_ConditionError, FileNotFoundError):
    """A folder to write to is not there."""


def wrong_type(argument: str, expected: str, value: object) -> ZOrderTypeError:
    """Returns the error for an argument of the wrong type.

    Args:
        argument: the argument's name as the user wrote it.
        expected: what it must be, with an article.
        value: what it is.
    """
    return ZOrderTypeError(
        "ZORDER_INVALID_TYPE", argument=argument, expected=expected, value=repr(value), actual=type(value).__name__
    )
