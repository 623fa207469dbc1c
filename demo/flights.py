# SPDX-License-Identifier: Apache-2.0

"""`make demo`: z-orders a Delta table of real flights through SQL and shows what that gains."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import pyspark

import spark_zorder
from encoder import optimize_without_encoder, print_encoder
from flights_data import FLIGHTS, delta_copy, shuffled_table
from measures import Table, measured, same_rows
from printing import print_comparison, print_heading
from sessions import DemoError, bytes_per_file, delta_version, session

COLUMNS = ("dest_lat", "dest_lon", "dep_delay")
FILES = 48


def main() -> int:
    """Runs the demo and returns the exit code: 1 if a row or an answer changed."""
    arguments = _arguments()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _run(folder, arguments.rows, compare_encoder=arguments.compare_encoder)
    except DemoError as error:
        print(f"The demo cannot run: {error}", file=sys.stderr)
        return 1


def _run(folder: Path, rows: int, *, compare_encoder: bool) -> int:
    (folder / "spark.log").unlink(missing_ok=True)
    versions = f"spark-zorder {spark_zorder.__version__}, Spark {pyspark.__version__}, Delta {delta_version()}"
    print_heading(
        f"Every flight that left New York City in 2013 ({versions})", f"Tables and Spark's log are in {folder}"
    )
    shuffled, by_delta = _prepared(folder, rows)
    tables = {"shuffled": shuffled, "by_delta": by_delta, "flights": _copy(shuffled, folder / "flights")}
    if compare_encoder:
        tables["by_spark"] = _copy(shuffled, folder / "by-spark")

    with session(folder) as spark:
        for name, path in tables.items():
            spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{path.as_uri()}'")
        size = bytes_per_file(spark, "flights", FILES)
        before = measured(spark, Table("flights", "random order"), COLUMNS)
        print_heading("Running", _optimize("flights", size))
        spark.sql(_optimize("flights", size)).collect()
        after = measured(spark, Table("flights", "spark-zorder"), COLUMNS)
        theirs = measured(spark, Table("by_delta", "Delta's own"), COLUMNS)
        unchanged = same_rows(spark, "shuffled", "flights")
        failed = print_comparison(COLUMNS, [before, theirs, after], unchanged)
        if compare_encoder:
            optimize_without_encoder(spark, _optimize("by_spark", size))
            failed |= print_encoder(spark, "flights", "by_spark")
        return failed


def _optimize(table: str, target_file_size: int) -> str:
    return f"OPTIMIZE {table} ZORDER BY ({', '.join(COLUMNS)}) OPTIONS (target_file_size = '{target_file_size}')"


def _copy(table: Path, copy: Path) -> Path:
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(table, copy)
    return copy


def _prepared(folder: Path, rows: int) -> tuple[Path, Path]:
    """The flights in random order, and a copy that Delta's own OPTIMIZE z-ordered; made once and kept."""
    shuffled = folder / f"shuffled-{rows}"
    by_delta = folder / f"by-delta-{rows}"
    if not (shuffled / "_complete").exists() or not (by_delta / "_complete").exists():
        with session(folder, extension=False) as spark:
            shuffled_table(spark, folder, shuffled, rows, FILES)
            delta_copy(spark, shuffled, by_delta, COLUMNS, FILES)
    return shuffled, by_delta


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=FLIGHTS, help=f"flights to take (default: all {FLIGHTS:,})")
    parser.add_argument("--folder", type=Path, default=Path(".build/demo"), help="where tables are kept")
    parser.add_argument(
        "--compare-encoder",
        action="store_true",
        help="also z-order a copy with the encoder off (spark.sql.zorder.optimize.encoder) and compare the files",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
