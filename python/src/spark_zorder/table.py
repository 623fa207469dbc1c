# SPDX-License-Identifier: Apache-2.0

"""Tables, named and built as in Delta's Python API; every method is one SQL statement."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from spark_zorder import _sql
from spark_zorder._arguments import choice, column_names, option_texts, predicate, whole
from spark_zorder._quoting import quote_identifier, quote_path
from spark_zorder._result import readable
from spark_zorder._table_card import card_of_table
from spark_zorder.benchmark import benchmark
from spark_zorder.errors import ZOrderValueError, wrong_type
from spark_zorder.optimize import ZOrderOptimizeBuilder
from spark_zorder.session import require_extension

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from spark_zorder._arguments import OptionValue
    from spark_zorder.benchmark import Benchmark

_FORMATS = ("delta", "parquet")
_ORDERS = ("zorder", "lexical")
_SCOPES = ("local", "global")
_KEYS = ("ranks", "raw")


class ZOrderTable:
    """A table to cluster and to look at.

    Example:
        >>> table = ZOrderTable.forName(spark, "db.flights")  # doctest: +SKIP
        >>> table.optimize().where("year = 2013").executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
    """

    def __init__(self, spark: SparkSession, name: str, folder: str | None = None) -> None:
        """Use `forName` or `forPath`.

        Args:
            spark: a session with the extension.
            name: the table's name in SQL, quoted.
            folder: its path where `name` is one that only this package's statements know.
        """
        self._spark = spark
        self._name = name
        self._folder = folder

    @classmethod
    def forName(cls, spark: SparkSession, name: str) -> ZOrderTable:
        """Returns the table with this name; whether it exists shows when it is used.

        Args:
            spark: the session, classic or Connect.
            name: `t`, `db.t` or `catalog.db.t`; a part with a dot in it needs back-quotes.

        Raises:
            ZOrderValueError: the text is no name (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderTypeError: it is not a string, or `spark` is no session.
            ZOrderSessionError: the session runs without the extension; the text says how to restart it.

        Example:
            >>> ZOrderTable.forName(spark, "db.`my.table`")  # doctest: +SKIP
        """
        quoted = quote_identifier(name)
        require_extension(spark)
        return cls(spark, quoted)

    @classmethod
    def forPath(
        cls,
        spark: SparkSession,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002 - PySpark's word
    ) -> ZOrderTable:
        """Returns the table at this path; whether it exists shows when it is used.

        Args:
            spark: the session, classic or Connect.
            path: the table's folder, local or a URI, as Spark sees it; a relative one is relative to where Spark runs.
            format: `delta` or `parquet`; without it the folder itself tells, when the table is used.

        Raises:
            ZOrderValueError: the path is empty (`ZORDER_EMPTY_ARGUMENT`), or the format is neither
                (`ZORDER_UNKNOWN_FORMAT`, or `ZORDER_ICEBERG_BY_PATH` of Iceberg tables, which have names alone).
            ZOrderTypeError: the path is neither a string nor a path, or `spark` is no session.
            ZOrderSessionError: the session runs without the extension; the text says how to restart it.

        Example:
            >>> ZOrderTable.forPath(spark, "/data/flights")  # doctest: +SKIP
        """
        if not isinstance(path, (str, os.PathLike)):
            raise wrong_type("path", "a string or a path", path)
        text = str(os.fspath(path))
        if not text.strip():
            raise ZOrderValueError("ZORDER_EMPTY_ARGUMENT", argument="path", hint="give the table's folder")
        if format == "iceberg":
            raise ZOrderValueError("ZORDER_ICEBERG_BY_PATH")
        if format not in (None, *_FORMATS):
            raise ZOrderValueError("ZORDER_UNKNOWN_FORMAT", format=repr(format), formats=", ".join(_FORMATS))
        require_extension(spark)
        return cls(spark, quote_path(text, format), text if format is None else None)

    @property
    def name(self) -> str:
        """The table's name in this package's statements, quoted: `` `db`.`t` ``, ``delta.`/path` `` or `'/path'`."""
        return self._name

    def toDF(self) -> DataFrame:
        """Returns the table's rows."""
        if self._folder is None:
            return self._spark.table(self._name)
        return self._spark.read.format(self._format_of(self._folder)).load(self._folder)

    def _format_of(self, folder: str) -> str:
        return "delta" if self._has_delta_log(folder) else "parquet"

    def _has_delta_log(self, folder: str) -> bool:
        # Only Spark sees the folder. Classic sessions miss what is not there at once, Connect when asked for columns.
        try:
            # Of one path Spark asks whether a stream wrote it, and warns, with a stack trace, where it is missing.
            return len(self._spark.read.format("text").load([f"{folder}/_delta_log"] * 2).columns) > 0
        except AnalysisException as error:
            if error.getCondition() != "PATH_NOT_FOUND":
                raise
            return False

    def _name_for_spark(self) -> str:
        """The name in statements of Spark's and Delta's own, which know no path without a format."""
        return self._name if self._folder is None else quote_path(self._folder, self._format_of(self._folder))

    def _spelled_for_spark(self) -> ZOrderTable:
        """The same table under the name that also Spark's own statements know."""
        return self if self._folder is None else ZOrderTable(self._spark, self._name_for_spark())

    def optimize(self, options: Mapping[str, OptionValue] | None = None) -> ZOrderOptimizeBuilder:
        """Starts an OPTIMIZE statement; nothing runs before `executeZOrderBy`.

        Args:
            options: the statement's options, as by `ZOrderOptimizeBuilder.option`.

        Raises:
            ZOrderTypeError: the options are no dict, or one is of another type.

        Example:
            >>> run = table.optimize().executeZOrderBy("a", "b")  # doctest: +SKIP
            >>> run.select("summary").show(truncate=False)  # doctest: +SKIP
        """
        builder = ZOrderOptimizeBuilder(self._spark, self._name)
        for key, value in option_texts(options).items():
            builder.option(key, value)
        return builder

    def sortBy(
        self,
        *cols: str | Sequence[str],
        order: str = "zorder",
        scope: str | None = None,
        key: str | None = None,
    ) -> None:
        """Sets the order in which the table's rows are written from now on; without columns ends it.

        Files that there are stay as they are, until OPTIMIZE.

        Args:
            cols: column names, or one list of them, the most important first, written as for `describeLayout`; none
                ends the order.
            order: `zorder`, along the curve through two columns or more, or `lexical`, column by column.
            scope: `local`, each task orders the rows that it writes, or `global`, rows move between tasks first; None
                leaves what the table has, which is `local` at first.
            key: what the curve goes through, `ranks` of the values or the values themselves, `raw`; None leaves what
                the table has, which is `ranks` at first.

        Raises:
            ZOrderValueError: an argument is none of these values (`ZORDER_UNKNOWN_ARGUMENT`), `scope` or `key` without
                columns (`ZORDER_ORDER_WITHOUT_COLUMNS`), or a text is no column name (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderTypeError: an argument is not a string.
            AnalysisException: the table or a column does not exist, or the table cannot have the order.

        Example:
            >>> table.sortBy("dest_lat", "dest_lon")  # doctest: +SKIP
            >>> table.sortBy("carrier", "flight", order="lexical", scope="global")  # doctest: +SKIP
            >>> table.sortBy()  # doctest: +SKIP
        """
        columns = column_names("sortBy", cols)
        beside = {"scope": choice("scope", scope, _SCOPES), "key": choice("key", key, _KEYS)}
        kind = choice("order", order, _ORDERS) or _ORDERS[0]
        given = next((name for name, value in beside.items() if value is not None), None)
        if given is not None and not columns:
            raise ZOrderValueError("ZORDER_ORDER_WITHOUT_COLUMNS", argument=given)
        self._spark.sql(_sql.sort_by(self._name_for_spark(), columns, order=kind, **beside))

    def describeLayout(self, *cols: str | Sequence[str], extended: bool = False) -> DataFrame:
        """Returns how well the table's files are clustered on columns, for people to read; `layout` has all figures.

        Args:
            cols: column names, or one list of them: `a`, `a.b` for a nested field, `` `a.b` `` for a name with a dot;
                none leaves out the statement's `ON`.
            extended: one row per file and column instead of one per column, as `files`.

        Returns:
            One row per column, at most 120 characters wide in `show(truncate=False)`: `column`, `files`, their `size`
            as text (`12.4 MB`, where 1 MB is 1,000,000 bytes), `min`, `max`, `point_read_share`, `verdict`
            and its `reason`.

        Raises:
            ZOrderValueError: a text is no column name (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderTypeError: a column is not a string.
            AnalysisException: the table or a column does not exist.

        Example:
            >>> table.describeLayout("dest_lat", "dest_lon").show(truncate=False)  # doctest: +SKIP
        """
        columns = column_names("describeLayout", cols)
        return self._rows(_sql.describe_layout(self._name, columns, extended=extended))

    def advise(
        self,
        *cols: str | Sequence[str],
        queries: str | Sequence[str] | None = None,
        recording: str | os.PathLike[str] | None = None,
        options: Mapping[str, OptionValue] | None = None,
    ) -> DataFrame:
        """Returns the columns to z-order the table by, one row for each set of columns, the best first.

        It reads a sample of the rows and changes nothing.

        Args:
            cols: the columns to choose among, or one list of them, written as for `describeLayout`; none leaves the
                choice to the statement.
            queries: the workload, one query in SQL or several; each is planned and does not run.
            recording: the folder, as Spark sees it, that `spark.sql.zorder.advise.record` was in sessions that read the
                table: their queries, as often as they ran. Without it and `queries`, each column is looked up alike.
            options: `target_file_size` and `curve`, as OPTIMIZE takes them, where they are given.

        Returns:
            Rows of `rank`, `columns`, `curve`, `target_file_size`, `files`, `read_share`, `read_share_now`,
            `rewrite_bytes`, `rewrite_seconds`, `statement`, `warnings`; sizes in bytes, shares from 0 to 1.

        Raises:
            ZOrderValueError: a text is no column name (`ZORDER_INVALID_IDENTIFIER`), or the path is empty
                (`ZORDER_EMPTY_ARGUMENT`).
            ZOrderTypeError: a column, a query or the path is not a string, or the options are no dict of strings,
                numbers and bools.
            AnalysisException: the table or a column does not exist, a query is none
                (`ZORDER_WORKLOAD_NOT_A_QUERY`) or does not read the table (`ZORDER_QUERY_WITHOUT_TABLE`), the
                recording tells nothing (`ZORDER_RECORDING`), or there is nothing to choose from
                (`ZORDER_NOTHING_TO_ADVISE`).

        Example:
            >>> table.advise(queries=["SELECT * FROM flights WHERE carrier = 'UA'"]).show()  # doctest: +SKIP
            >>> spark.sql(table.advise(recording="/queries").head().statement)  # doctest: +SKIP
        """
        columns = column_names("advise", cols)
        if queries is not None and not isinstance(queries, Iterable):
            raise wrong_type("queries", "a string or a list of strings", queries)
        texts = [queries] if isinstance(queries, str) else list(queries or [])
        for query in texts:
            if not isinstance(query, str):
                raise wrong_type("A query", "a string", query)
        given = option_texts(options)
        if recording is not None:
            if not isinstance(recording, (str, os.PathLike)):
                raise wrong_type("recording", "a string or a path", recording)
            given["recording"] = str(os.fspath(recording))
            if not given["recording"].strip():
                raise ZOrderValueError("ZORDER_EMPTY_ARGUMENT", argument="recording", hint="give a folder")
        return self._rows(_sql.advise_layout(self._name, columns, texts, given))

    def benchmark(self, queries: str | Sequence[str] | Mapping[str, str], runs: int = 3) -> Benchmark:
        """Measures queries on the table as it is now; measure them again after a change, and compare.

        Each query is planned and run `runs` times, and its rows are computed and thrown away (Spark's `noop` sink). The
        seconds, those of this process's clock, are the median of the runs, with the planning. Files and bytes are those
        that `EXPLAIN SKIPPING` foresees, of all scans of the query; what shows only when a query runs (joins, limits)
        is not in them.

        Args:
            queries: a query in SQL, several, or several by their names; each names its tables itself.
            runs: how often each runs.

        Raises:
            ZOrderValueError: there is no query or an empty one (`ZORDER_EMPTY_ARGUMENT`), or `runs` is less than 1
                (`ZORDER_UNKNOWN_ARGUMENT`).
            ZOrderTypeError: a query is not a string, or `runs` not a whole number.
            AnalysisException: a query names what does not exist, or is none (`ZORDER_NOT_A_QUERY`); none has run then.

        Example:
            >>> queries = {"north": "SELECT * FROM flights WHERE dest_lat > 60"}
            >>> before = table.benchmark(queries)  # doctest: +SKIP
            >>> table.optimize().executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
            >>> print(table.benchmark(queries).compared_with(before))  # doctest: +SKIP
        """
        return benchmark(self._spark, queries, runs)

    def layout(
        self,
        *cols: str | Sequence[str],
        where: str | None = None,
        allRows: bool = False,
    ) -> DataFrame:
        """Returns how well the table's files are clustered on columns, in exact figures.

        Args:
            cols: column names, or one list of them, written as for `describeLayout`; none takes all that have
                statistics and an order.
            where: a predicate on partition columns in SQL, to look at some partitions only.
            allRows: look up the value of every row, not those of a sample
                (`spark.sql.zorder.describe.rowLimit`), so that `standard_error` is 0.

        Returns:
            One row per column: `column`, `files`, `rows`, `bytes`, `min`, `max`, `null_count`, `average_overlaps`,
            `average_depth`, `max_depth`, `depth_histogram`, `point_read_share` (of the files, 0 to 1),
            `standard_error` of it, `verdict`, and its `reason`.

        Raises:
            ZOrderValueError: a text is no column name (`ZORDER_INVALID_IDENTIFIER`), or `where` is empty
                (`ZORDER_EMPTY_ARGUMENT`).
            ZOrderTypeError: a column or `where` is not a string, or `allRows` not a bool.
            AnalysisException: the table or a column does not exist, or `where` names other columns.

        Example:
            >>> table.layout("dest_lat", where="year = 2013").select("files", "max_depth").show()  # doctest: +SKIP
        """
        if not isinstance(allRows, bool):
            raise wrong_type("allRows", "a bool", allRows)
        columns = column_names("layout", cols)
        query = _sql.layout_function("describe_layout", self._name, columns, where=predicate(where), all_rows=allRows)
        return self._rows(query)

    def files(self, *cols: str | Sequence[str], where: str | None = None) -> DataFrame:
        """Returns the table's files with the bounds of columns in each.

        Args:
            cols: column names, or one list of them, written as for `describeLayout`; none takes all that have
                statistics and an order.
            where: a predicate on partition columns in SQL, to look at some partitions only.

        Returns:
            One row per file and column: `file`, `partition`, `rows`, `bytes`, `row_groups`, `column`, `min`, `max`,
            `null_count`.

        Raises:
            ZOrderValueError: a text is no column name (`ZORDER_INVALID_IDENTIFIER`), or `where` is empty
                (`ZORDER_EMPTY_ARGUMENT`).
            ZOrderTypeError: a column or `where` is not a string.
            AnalysisException: the table or a column does not exist, or `where` names other columns.

        Example:
            >>> table.files("dest_lat").orderBy("bytes").show()  # doctest: +SKIP
        """
        columns = column_names("files", cols)
        return self._rows(_sql.layout_function("layout_files", self._name, columns, where=predicate(where)))

    def computeFileStatistics(self, *cols: str | Sequence[str], allColumns: bool = False) -> DataFrame:
        """Brings the statistics index of a Parquet table up to date, by which queries skip files; no data is rewritten.

        Args:
            cols: the columns that the statistics index is to have from now on, or one list of them, written as for
                `describeLayout`; none leaves them as they are, and takes all for a new index.
            allColumns: all columns that can have statistics, whatever the statistics index had before.

        Returns:
            One row: `path`, the `files` in the statistics index, `footers_read` of files new to it, `columns`.

        Raises:
            ZOrderValueError: both columns and `allColumns` (`ZORDER_COLUMNS_AND_ALL`), or a text is no column name
                (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderTypeError: a column is not a string.
            AnalysisException: the table or a column does not exist, or can have no such statistics.

        Example:
            >>> table.computeFileStatistics("dest_lat", "dest_lon").show()  # doctest: +SKIP
        """
        columns = column_names("computeFileStatistics", cols)
        if columns and allColumns:
            raise ZOrderValueError("ZORDER_COLUMNS_AND_ALL", method="computeFileStatistics")
        return self._rows(_sql.compute_file_statistics(self._name, columns, all_columns=allColumns))

    def rewrites(self) -> DataFrame:
        """Returns the rewrites of a Parquet table of which the replaced files are kept, by the option `keep_old`.

        Returns:
            One row per rewrite: `rewrite` (its number), `replaced_at`, `kept_until`, the `files` that are kept and
            their `bytes`, the `new_files` that came in their place, `restorable`.

        Raises:
            AnalysisException: the table does not exist, or is no Parquet table (`ZORDER_NOT_RESTORABLE`).

        Example:
            >>> table.optimize({"keep_old": "7 days"}).executeZOrderBy("a", "b")  # doctest: +SKIP
            >>> table.rewrites().show()  # doctest: +SKIP
        """
        return self._rows(_sql.describe_rewrites(self._name))

    def restoreBefore(self, rewrite: int) -> DataFrame:
        """Takes a rewrite of a Parquet table back, and later ones that stand on it; rows added since stay.

        Args:
            rewrite: its number, as `rewrites` shows it.

        Returns:
            One row: `path`, `rewrite`, `restored_files`, `removed_files`. These are kept in turn.

        Raises:
            ZOrderTypeError: the number is not an int.
            PySparkException: there is no such rewrite (`ZORDER_NO_SUCH_REWRITE`), or it cannot be taken back any more
                (`ZORDER_CANNOT_RESTORE`).

        Example:
            >>> table.restoreBefore(3).show()  # doctest: +SKIP
        """
        return self._rows(_sql.restore_before(self._name, whole("rewrite", rewrite)))

    def vacuumReplaced(self, retentionHours: int | None = None, dryRun: bool = False) -> DataFrame:
        """Deletes replaced files of a Parquet table for good.

        Args:
            retentionHours: the age from which they go, in hours; None for the time for which they were to be kept.
            dryRun: only tell what would be deleted.

        Returns:
            One row per rewrite whose files are deleted, as of `rewrites`.

        Raises:
            ZOrderTypeError: the hours are not an int, or `dryRun` is not a bool.

        Example:
            >>> table.vacuumReplaced(retentionHours=24, dryRun=True).show()  # doctest: +SKIP
        """
        hours = None if retentionHours is None else whole("retentionHours", retentionHours)
        if not isinstance(dryRun, bool):
            raise wrong_type("dryRun", "a bool", dryRun)
        return self._rows(_sql.vacuum_replaced(self._name, hours, dry_run=dryRun))

    def repair(self, dryRun: bool = False) -> DataFrame:
        """Makes the log of a Parquet table whole again after `ZORDER_UNREADABLE_LOG`.

        Files that are too many leave the table for a folder in its `_zorder/set-aside`; none is deleted.

        Args:
            dryRun: only tell what would be done.

        Returns:
            One row per step, none where all can be read: `document` (what cannot be read), `condition` (why), `rewrite`
            (its number), `folder`, `action`, `files`, `reason`, `moved_to`.

        Raises:
            ZOrderTypeError: `dryRun` is not a bool.
            PySparkException: the files do not tell what is right (`ZORDER_CANNOT_REPAIR`), or the table is no Parquet
                table (`ZORDER_NOT_REPAIRABLE`).

        Example:
            >>> table.repair(dryRun=True).show(truncate=False)  # doctest: +SKIP
        """
        if not isinstance(dryRun, bool):
            raise wrong_type("dryRun", "a bool", dryRun)
        return self._rows(_sql.repair(self._name, dry_run=dryRun))

    def _rows(self, statement: str) -> DataFrame:
        return readable(self._spark.sql(statement))

    def __repr__(self) -> str:
        """Returns the class and the table's name."""
        return f"ZOrderTable({self._name})"

    def _repr_html_(self) -> str:
        """Returns a card for notebooks: name, format, files, bytes, and what lookups read; from metadata alone."""
        with suppress(Exception):
            name = self._name_for_spark()
            given = next((f for f in _FORMATS if name.startswith(f"{f}.`")), None)
            if card := card_of_table(self._spark, self, name, given):
                return card
        return f"<code>{html.escape(repr(self))}</code>"
