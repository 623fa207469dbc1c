# SPDX-License-Identifier: Apache-2.0

"""The only place where statements are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder._quoting import quote_identifier, quote_string

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _columns(columns: Sequence[str]) -> str:
    return ", ".join(quote_identifier(column) for column in columns)


def optimize(
    table: str,
    columns: Sequence[str] | None,
    where: str | None,
    options: Mapping[str, str],
    *,
    dry_run: bool = False,
) -> str:
    """Returns an OPTIMIZE statement.

    Args:
        table: the table's name, quoted.
        columns: column names as a user writes them; none takes those of the table's order; None, where they are not
            known yet, leaves dots for them.
        where: a predicate in SQL, or None.
        options: the statement's options.
        dry_run: only foresee what the statement would do.

    Example:
        >>> optimize("`t`", ["a", "b.c"], "d = 1", {"curve": "hilbert"})
        "OPTIMIZE `t` WHERE d = 1 ZORDER BY (`a`, `b`.`c`) OPTIONS ('curve' = 'hilbert')"
    """
    order = " ZORDER" if columns == [] else f" ZORDER BY ({'...' if columns is None else _columns(columns)})"
    return _optimize(table, order, where, options, dry_run=dry_run)


def compact(table: str, where: str | None, options: Mapping[str, str], *, dry_run: bool = False) -> str:
    """Returns an OPTIMIZE statement that only makes larger files of small ones.

    Args:
        table: the table's name, quoted.
        where: a predicate in SQL, or None.
        options: the statement's options.
        dry_run: only foresee what the statement would do.

    Example:
        >>> compact("`t`", "d = 1", {})
        'OPTIMIZE `t` WHERE d = 1'
    """
    return _optimize(table, "", where, options, dry_run=dry_run)


def _optimize(table: str, order: str, where: str | None, options: Mapping[str, str], *, dry_run: bool) -> str:
    statement = f"OPTIMIZE {table}"
    if where is not None:
        # A line comment in the predicate would swallow ZORDER BY, and what is left is a valid, other statement. The
        # space keeps a backslash at the comment's end from joining the lines.
        statement += f" WHERE {where}" + (" \n" if "--" in where else "")
    statement += order
    if options:
        pairs = (f"{quote_string(key)} = {quote_string(value)}" for key, value in options.items())
        statement += f" OPTIONS ({', '.join(pairs)})"
    return f"{statement} DRY RUN" if dry_run else statement


def sort_by(table: str, columns: Sequence[str], *, order: str, scope: str | None = None, key: str | None = None) -> str:
    """Returns the ALTER TABLE statement that sets or ends the order of a table.

    Args:
        table: the table's name, quoted.
        columns: column names as a user writes them; none ends the order.
        order: `zorder` or `lexical`.
        scope: `local` or `global`; None leaves the table's.
        key: `ranks` or `raw`; None leaves the table's.

    Example:
        >>> sort_by("`t`", ["a", "b.c"], order="zorder")
        'ALTER TABLE `t` SORT BY ZORDER (`a`, `b`.`c`)'
    """
    if not columns:
        return f"ALTER TABLE {table} SORT BY ()"
    beside = {"sort.scope": scope, "sort.key": key}
    if not any(beside.values()):
        return f"ALTER TABLE {table} SORT BY {order.upper()} ({_columns(columns)})"
    # The clause has no words for these. All properties in one statement are one commit of a Delta table.
    properties = {"sort.columns": _columns(columns), "sort.order": order.upper(), **beside}
    pairs = (f"{quote_string(name)} = {quote_string(value)}" for name, value in properties.items() if value is not None)
    return f"ALTER TABLE {table} SET TBLPROPERTIES ({', '.join(pairs)})"


def describe_layout(table: str, columns: Sequence[str], *, extended: bool, where: str | None = None) -> str:
    """Returns a DESCRIBE LAYOUT statement.

    Args:
        table: the table's name, quoted.
        columns: column names as a user writes them; none leaves the choice to Spark.
        extended: one row per file and column instead of one per column.
        where: a predicate in SQL, or None.

    Example:
        >>> describe_layout("`t`", ["a"], extended=True)
        'DESCRIBE LAYOUT EXTENDED `t` ON (`a`)'
    """
    statement = f"DESCRIBE LAYOUT {'EXTENDED ' if extended else ''}{table}"
    if columns:
        statement += f" ON ({_columns(columns)})"
    return statement if where is None else f"{statement} WHERE {where}"


def advise_layout(table: str, columns: Sequence[str], queries: Sequence[str], options: Mapping[str, str]) -> str:
    """Returns an ADVISE LAYOUT statement.

    Args:
        table: the table's name, quoted.
        columns: column names as a user writes them; none leaves out the statement's `ON`.
        queries: the workload, queries in SQL; none leaves out `FOR`.
        options: the statement's options.

    Example:
        >>> advise_layout("`t`", ["a"], ["SELECT * FROM t WHERE a = 1"], {})
        'ADVISE LAYOUT `t` ON (`a`) FOR (SELECT * FROM t WHERE a = 1)'
    """
    statement = f"ADVISE LAYOUT {table}"
    if columns:
        statement += f" ON ({_columns(columns)})"
    if queries:
        # A line comment in a query would swallow the parenthesis; the space keeps a backslash from joining the lines.
        ended = (query.rstrip().rstrip(";") for query in queries)
        statement += " FOR " + ", ".join(f"({query} \n)" if "--" in query else f"({query})" for query in ended)
    if options:
        pairs = (f"{quote_string(key)} = {quote_string(value)}" for key, value in options.items())
        statement += f" OPTIONS ({', '.join(pairs)})"
    return statement


def layout_function(
    function: str, table: str, columns: Sequence[str], *, where: str | None = None, all_rows: bool = False
) -> str:
    """Returns a query for the rows of `describe_layout` or `layout_files`.

    Args:
        function: the name of the table function.
        table: the table's name, quoted.
        columns: column names as a user writes them; none leaves the choice to Spark.
        where: a predicate in SQL, or None.
        all_rows: look up the value of every row.

    Example:
        >>> layout_function("layout_files", "`t`", ["a"], where="d = 1")
        "SELECT * FROM layout_files(table => '`t`', columns => array('`a`'), where => 'd = 1')"
    """
    arguments = [f"table => {quote_string(table)}"]
    if columns:
        names = ", ".join(quote_string(quote_identifier(column)) for column in columns)
        arguments.append(f"columns => array({names})")
    if where is not None:
        arguments.append(f"where => {quote_string(where)}")
    if all_rows:
        arguments.append("all_rows => true")
    return f"SELECT * FROM {function}({', '.join(arguments)})"  # noqa: S608 - every part is quoted above


def compute_file_statistics(table: str, columns: Sequence[str], *, all_columns: bool) -> str:
    """Returns an ANALYZE TABLE ... COMPUTE FILE STATISTICS statement.

    Args:
        table: the table's name, quoted.
        columns: column names as a user writes them; none leaves the choice to Spark, unless it is to be all.
        all_columns: all columns that can have statistics.

    Example:
        >>> compute_file_statistics("`t`", ["a"], all_columns=False)
        'ANALYZE TABLE `t` COMPUTE FILE STATISTICS FOR COLUMNS `a`'
    """
    statement = f"ANALYZE TABLE {table} COMPUTE FILE STATISTICS"
    if all_columns:
        return f"{statement} FOR ALL COLUMNS"
    return f"{statement} FOR COLUMNS {_columns(columns)}" if columns else statement


def describe_rewrites(table: str) -> str:
    """Returns a DESCRIBE REWRITES statement.

    Example:
        >>> describe_rewrites("`t`")
        'DESCRIBE REWRITES `t`'
    """
    return f"DESCRIBE REWRITES {table}"


def restore_before(table: str, rewrite: int) -> str:
    """Returns a RESTORE TABLE ... TO BEFORE REWRITE statement.

    Args:
        table: the table's name, quoted.
        rewrite: the number of a rewrite.

    Example:
        >>> restore_before("`t`", 3)
        'RESTORE TABLE `t` TO BEFORE REWRITE 3'
    """
    return f"RESTORE TABLE {table} TO BEFORE REWRITE {rewrite}"


def vacuum_replaced(table: str, retention_hours: int | None, *, dry_run: bool) -> str:
    """Returns a VACUUM ... REPLACED FILES statement.

    Args:
        table: the table's name, quoted.
        retention_hours: the age from which files go; None for the time for which they were to be kept.
        dry_run: only say what would be deleted.

    Example:
        >>> vacuum_replaced("`t`", 24, dry_run=True)
        'VACUUM `t` REPLACED FILES RETAIN 24 HOURS DRY RUN'
    """
    retain = "" if retention_hours is None else f" RETAIN {retention_hours} HOURS"
    return f"VACUUM {table} REPLACED FILES{retain}{' DRY RUN' if dry_run else ''}"


def repair(table: str, *, dry_run: bool) -> str:
    """Returns an FSCK REPAIR TABLE statement.

    Args:
        table: the table's name, quoted.
        dry_run: only say what would be done.

    Example:
        >>> repair("`t`", dry_run=True)
        'FSCK REPAIR TABLE `t` DRY RUN'
    """
    return f"FSCK REPAIR TABLE {table}{' DRY RUN' if dry_run else ''}"


def explain_skipping(query: str) -> str:
    """Returns an EXPLAIN SKIPPING statement.

    Args:
        query: a query in SQL.

    Example:
        >>> explain_skipping("SELECT * FROM t WHERE a = 1")
        'EXPLAIN SKIPPING SELECT * FROM t WHERE a = 1'
    """
    return f"EXPLAIN SKIPPING {query}"


def describe_table(table: str) -> str:
    """Returns the statement that tells a table's provider and properties; the name is quoted."""
    return f"DESCRIBE TABLE EXTENDED {table}"


def describe_detail(table: str) -> str:
    """Returns Delta's statement on a table's files and properties; the name is quoted."""
    return f"DESCRIBE DETAIL {table}"


def describe_history(table: str) -> str:
    """Returns Delta's statement on a table's commits; the name is quoted."""
    return f"DESCRIBE HISTORY {table}"


def iceberg_files(table: str) -> str:
    """Returns the query that counts the files of an Iceberg table and their bytes; the name is quoted."""
    found = "count(*) AS numFiles, coalesce(sum(file_size_in_bytes), 0) AS sizeInBytes"
    return f"SELECT {found} FROM {table}.data_files"  # noqa: S608 - the name is quoted


def iceberg_order(table: str) -> str:
    """Returns the query for the columns that OPTIMIZE of an Iceberg table was last by; the name is quoted."""
    columns = "summary['spark-zorder.columns']"
    told = f"{columns} IS NOT NULL ORDER BY committed_at DESC LIMIT 1"
    return f"SELECT {columns} AS columns FROM {table}.snapshots WHERE {told}"  # noqa: S608 - the name is quoted


def explain_cost(table: str) -> str:
    """Returns the statement that tells a table's size as the planner knows it; the name is quoted."""
    return f"EXPLAIN COST TABLE {table}"
