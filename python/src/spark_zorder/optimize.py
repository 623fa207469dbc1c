# SPDX-License-Identifier: Apache-2.0

"""The builder of one OPTIMIZE statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder import _sql
from spark_zorder._arguments import column_names, option_text
from spark_zorder._progress import progress
from spark_zorder._result import readable
from spark_zorder.errors import ZOrderValueError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from spark_zorder._arguments import OptionValue


class ZOrderOptimizeBuilder:
    """Collects the parts of an OPTIMIZE statement; made by `ZOrderTable.optimize`.

    Methods change the builder and return it, as Delta's do: a caller who ignores the result of `where` must not
    rewrite the whole table.
    """

    def __init__(self, spark: SparkSession, table: str) -> None:
        """Use `ZOrderTable.optimize`.

        Args:
            spark: a session with the extension.
            table: the table's name in SQL, quoted.
        """
        self._spark = spark
        self._table = table
        self._where: str | None = None
        self._options: dict[str, str] = {}

    def where(self, condition: str) -> ZOrderOptimizeBuilder:
        """Rewrites only the partitions that the condition selects.

        Args:
            condition: a predicate in SQL, passed on as it is; over partition columns, unless the option
                `where_files` is `overlapping`: then over any column, and it selects the files whose ranges can match.

        Raises:
            ZOrderValueError: the condition is empty (`ZORDER_EMPTY_ARGUMENT`), or there was one before
                (`ZORDER_WHERE_ALREADY_SET`).
            ZOrderTypeError: it is not a string.

        Example:
            >>> table.optimize().where("year = 2013 AND month > 6")  # doctest: +SKIP
        """
        if not isinstance(condition, str):
            raise wrong_type("The condition of where()", "a string with SQL", condition)
        if not condition.strip():
            raise ZOrderValueError("ZORDER_EMPTY_ARGUMENT", argument="condition", hint="leave where() out to take all")
        if self._where is not None:
            raise ZOrderValueError("ZORDER_WHERE_ALREADY_SET", predicate=self._where)
        self._where = condition
        return self

    def option(self, key: str, value: OptionValue) -> ZOrderOptimizeBuilder:
        """Sets an option of the statement; the last value of a key counts.

        Args:
            key: `mode`, `curve`, `target_file_size`, `where_files`, `batch_size`, `compression`, `keep_old` or
                `force`; Spark tells if it does not know it.
            value: its value; a bool is written as `true` or `false`.

        Raises:
            ZOrderTypeError: the key is not a string, or the value is none of the types.

        Example:
            >>> table.optimize().option("mode", "incremental")  # doctest: +SKIP
        """
        self._options[key] = option_text(key, value)
        return self

    def executeZOrderBy(self, *cols: str | Sequence[str]) -> DataFrame:
        """Runs the statement: clusters the rows on the columns and commits the new files.

        On a terminal and in a notebook bars show how far it is; see `spark_zorder.progress`.

        Args:
            cols: column names, or one list of them: `a`, `a.b` for a nested field, `` `a.b` `` for a name with a dot.

        Returns:
            One row: `path`, `metrics`, `layout` with one struct per column, measured before and after, and `summary`,
            which says why nothing was done where nothing was.

        Raises:
            ZOrderValueError: no column (`ZORDER_NO_COLUMNS`), or no column name (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderTypeError: a column is not a string.
            AnalysisException: the table, a column, the condition or an option cannot be used.

        Example:
            >>> run = table.optimize().executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
            >>> run.select("summary").show(truncate=False)  # doctest: +SKIP
        """
        return self._run("executeZOrderBy", cols, dry_run=False)

    def dryRun(self, *cols: str | Sequence[str]) -> DataFrame:
        """Foresees what `executeZOrderBy` would do, from a sample; changes nothing.

        Args:
            cols: column names, as for `executeZOrderBy`.

        Returns:
            The row of `executeZOrderBy`, estimated.

        Raises:
            ZOrderValueError: no column (`ZORDER_NO_COLUMNS`), or no column name (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderTypeError: a column is not a string.
            AnalysisException: the table, a column, the condition or an option cannot be used.

        Example:
            >>> foreseen = table.optimize().dryRun("dest_lat", "dest_lon")  # doctest: +SKIP
            >>> foreseen.select("summary").show(truncate=False)  # doctest: +SKIP
        """
        return self._run("dryRun", cols, dry_run=True)

    def executeCompaction(self, dryRun: bool = False) -> DataFrame:
        """Makes larger files of small ones and orders nothing; clustered files of a Parquet table stay as they are.

        A Delta table is left to Delta's own statement, which needs Delta's extension and has no options and no dry run.

        Args:
            dryRun: only foresee what would be done; of a Parquet table.

        Returns:
            One row: `path` and `metrics`; of a Parquet table also `layout`, which is empty, and `summary`.

        Raises:
            AnalysisException: the table, the condition or an option cannot be used.

        Example:
            >>> table.optimize({"target_file_size": "256m"}).executeCompaction()  # doctest: +SKIP
        """
        with progress(self._spark):
            statement = _sql.compact(self._table, self._where, self._options, dry_run=dryRun)
            return readable(self._spark.sql(statement))

    def _run(self, method: str, cols: Sequence[object], *, dry_run: bool) -> DataFrame:
        columns = column_names(method, cols)
        if not columns:
            raise ZOrderValueError("ZORDER_NO_COLUMNS", method=method)
        with progress(self._spark):
            statement = _sql.optimize(self._table, columns, self._where, self._options, dry_run=dry_run)
            return readable(self._spark.sql(statement))

    def __repr__(self) -> str:
        """Returns the class and the statement as far as it is known; the columns come last."""
        return f"ZOrderOptimizeBuilder({_sql.optimize(self._table, None, self._where, self._options)})"
