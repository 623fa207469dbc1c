# SPDX-License-Identifier: Apache-2.0

"""Statements on one table, in SQL alone, so that every way of starting Spark runs the same."""

from __future__ import annotations

FORMATS = ("parquet", "delta")
ROWS, ADDED, ORDERED = 20_000, 4_000, 2_000
# An eighth of the first rows, or less.
SIZE = "40k"


def name_of(table_format: str) -> str:
    return f"on_{table_format}"


def rows_from(first: int, number: int, files: int) -> str:
    """A query for rows whose columns say nothing of each other."""
    columns = "CAST(id * 7919 % 1000 AS INT) AS a, id * 104729 % 5000 AS b, CAST(id AS STRING) AS c"
    return f"SELECT id, {columns} FROM range({first}, {first + number}, 1, {files})"


def statements(table_format: str, folder: str) -> dict[str, str]:
    """What is run, in order, by what it is for."""
    t = name_of(table_format)
    few = f"SELECT count(*) AS n, sum(id) AS ids FROM {t} WHERE a BETWEEN 100 AND 120"
    all_of = {
        "create": f"CREATE TABLE {t} USING {table_format} LOCATION '{folder}/{t}' AS {rows_from(0, ROWS, 8)}",
        "full": f"OPTIMIZE {t} ZORDER BY (a, b) OPTIONS (target_file_size = '{SIZE}')",
        "append": f"INSERT INTO {t} {rows_from(ROWS, ADDED, 4)}",
        "compact": f"OPTIMIZE {t} OPTIONS (target_file_size = '{SIZE}')",
        "incremental": f"OPTIMIZE {t} ZORDER BY (a, b) OPTIONS (target_file_size = '{SIZE}', mode = 'incremental')",
        "analyze": f"ANALYZE TABLE {t} COMPUTE FILE STATISTICS",
        "layout": f"DESCRIBE LAYOUT {t} ON (a, b)",
        "explain": f"EXPLAIN SKIPPING {few}",
        "query": few,
        "order": f"ALTER TABLE {t} SORT BY ZORDER (a, b)",
        "insert": f"INSERT INTO {t} {rows_from(ROWS + ADDED, ORDERED, 2)}",
    }
    if table_format == "delta":
        # Its log has them, and its versions; the statement without ZORDER BY is Delta's own.
        del all_of["analyze"], all_of["compact"]
        return all_of
    all_of["incremental"] = all_of["incremental"].replace("mode =", "keep_old = '1h', mode =")
    # Copied by tasks.
    all_of["restore"] = f"RESTORE TABLE {t} TO BEFORE REWRITE 3"
    all_of["vacuum"] = f"VACUUM {t} REPLACED FILES RETAIN 0 HOURS"
    return all_of


def expected_rows() -> list[tuple[int, int, int, str]]:
    """All rows in the end, by `id`."""
    ids = range(ROWS + ADDED + ORDERED)
    return [(i, i * 7919 % 1000, i * 104729 % 5000, str(i)) for i in ids]
