# SPDX-License-Identifier: Apache-2.0

"""Rounds of appends: what `mode = 'incremental'` rewrites, and its point lookups, by column, beside a full run's.

Two tables get the same appends. One is z-ordered incrementally after each, the other in full. Nothing is timed.
Ten rounds of a tenth of the table; and eighty days into a table that is partitioned by month.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import SparkSession

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.machine import machine
from common.places import DELTA_JARS, RESULTS, WORK, jars
from common.versions import versions
from spark_zorder import ZOrderTable, configure_spark_with_zorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

ROUNDS = 10
DAYS = 80
DAYS_OF_MONTH = 28
# Partitions of fewer files are too small to hold a column to a share of its own.
FILES_HELD = 8

# What an append holds, as SQL over `id`, which counts on through the rounds, and a column to z-order by beside `x`.
ARRIVALS = {
    "anywhere": ("pmod(xxhash64(id, 1), 1000000007)", "spread evenly over both columns"),
    "at the end": ("id", "the first column grows, as a time does"),
    "around a corner": (
        "cast(1e9 * pow(shiftrightunsigned(xxhash64(id, 1), 11) / pow(2, 53), if(id < {base}, 1, 4)) AS bigint)",
        "half of it in a sixteenth of the first column's range",
    ),
}


class Round(NamedTuple):
    """One append and the two runs after it. Sizes in bytes; shares of files for a point lookup, 0 to 1."""

    arrived: int
    rewritten: int
    rewritten_in_full: int
    files: int
    files_in_full: int
    shares: tuple[float, ...]
    shares_in_full: tuple[float, ...]
    rows_equal: bool

    @property
    def ratios(self) -> tuple[float, ...]:
        """Per column, the share read to that after a full run."""
        return tuple(share / full for share, full in zip(self.shares, self.shares_in_full, strict=True))


class Day(NamedTuple):
    """One daily load and the two runs after it, seen in the month that got it. Sizes in bytes."""

    arrived: int
    rewritten: int
    rewritten_in_full: int
    files: int
    files_in_full: int
    ratios: tuple[float, ...]
    table_ratios: tuple[float, ...]
    rows_equal: bool


def rounds(spark: SparkSession, column: str, rows: int, part: float, files: int) -> Iterator[Round]:
    """Runs the rounds with tables of `rows` rows in about `files` files, each append `part` of the rows."""
    more = int(rows * part)
    for table in ("grown", "rewritten"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        arrivals(spark, column, 0, rows, rows, 4).write.format("delta").saveAsTable(table)
    size = spark.sql("DESCRIBE DETAIL grown").collect()[0]["sizeInBytes"] // files
    for table in ("grown", "rewritten"):
        optimize(spark, table, size, "full")
    for number in range(ROUNDS):
        appended = arrivals(spark, column, rows + number * more, rows + (number + 1) * more, rows, 2)
        before = spark.sql("DESCRIBE DETAIL grown").collect()[0]["sizeInBytes"]
        for table in ("grown", "rewritten"):
            appended.write.format("delta").mode("append").saveAsTable(table)
        arrived = spark.sql("DESCRIBE DETAIL grown").collect()[0]["sizeInBytes"] - before
        rewritten = optimize(spark, "grown", size, "incremental")
        in_full = optimize(spark, "rewritten", size, "full")
        (shares, count), (full_shares, full_count) = lookup(spark, "grown"), lookup(spark, "rewritten")
        equal = checksum(spark, "grown") == checksum(spark, "rewritten")
        yield Round(arrived, rewritten, in_full, count, full_count, shares, full_shares, equal)


def days(spark: SparkSession, rows: int, files: int) -> Iterator[Day]:
    """Loads of `rows` rows a day, ordered by time, into months of about `files` files; by (customer, ts)."""
    day = (
        "id",
        "pmod(xxhash64(id, 1), 100000) AS w",
        "timestamp_seconds(1704067200 + id * 86400 / {rows}) AS x",
        "hex(xxhash64(id, 3)) AS payload",
        "cast(id div {month} AS int) AS month",
    )
    columns = [column.format(rows=rows, month=rows * DAYS_OF_MONTH) for column in day]
    size = 0
    for number in range(DAYS):
        load = spark.range(number * rows, (number + 1) * rows, 1, 1).selectExpr(*columns)
        before = sizes(spark, "months") if number else 0
        for table in ("months", "months_in_full"):
            if number == 0:
                spark.sql(f"DROP TABLE IF EXISTS {table}")
            load.write.format("delta").partitionBy("month").mode("append").saveAsTable(table)
        arrived = sizes(spark, "months") - before
        size = size or arrived * DAYS_OF_MONTH // files
        rewritten = optimize(spark, "months", size, "incremental")
        where = f"month = {number // DAYS_OF_MONTH}"
        in_full = optimize(spark, "months_in_full", size, "full", where)
        (shares, count), (full_shares, full_count) = (
            lookup(spark, table, where) for table in ("months", "months_in_full")
        )
        (all_shares, _), (all_full, _) = lookup(spark, "months"), lookup(spark, "months_in_full")
        equal = checksum(spark, "months") == checksum(spark, "months_in_full")
        ratios = tuple(share / full for share, full in zip(shares, full_shares, strict=True))
        table_ratios = tuple(share / full for share, full in zip(all_shares, all_full, strict=True))
        yield Day(arrived, rewritten, in_full, count, full_count, ratios, table_ratios, equal)


def sizes(spark: SparkSession, table: str) -> int:
    """Bytes of a table's files."""
    return int(spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]["sizeInBytes"])


def arrivals(spark: SparkSession, column: str, low: int, high: int, base: int, files: int) -> DataFrame:
    """Rows `low` to `high`, the same each time."""
    return spark.range(low, high, 1, files).selectExpr(
        "id", f"{column.format(base=base)} AS w", "xxhash64(id, 2) AS x", "hex(xxhash64(id, 3)) AS payload"
    )


def optimize(spark: SparkSession, table: str, size: int, mode: str, where: str | None = None) -> int:
    """Runs OPTIMIZE. Returns the bytes it rewrote."""
    options = f"mode = '{mode}', target_file_size = '{size}'"
    chosen = f"WHERE {where}" if where else ""
    row = spark.sql(f"OPTIMIZE {table} {chosen} ZORDER BY (w, x) OPTIONS ({options})").collect()[0]
    return row["metrics"]["filesRemoved"]["totalSize"]


def lookup(spark: SparkSession, table: str, where: str | None = None) -> tuple[tuple[float, ...], int]:
    """Returns the share of files that a point lookup reads by each column, and the number of files."""
    rows = ZOrderTable.forName(spark, table).layout("w", "x", where=where, allRows=True).collect()
    return tuple(row["point_read_share"] for row in rows), rows[0]["files"]


def checksum(spark: SparkSession, table: str) -> Counter[object]:
    """A sum over the hashes of all rows, and their number: equal for equal multisets."""
    sums = spark.sql(f"SELECT count(*), sum(cast(xxhash64(*) AS decimal(20))), sum(id) FROM {table}").collect()
    return Counter(sums)


def worst(ratios: list[tuple[float, ...]]) -> str:
    """Per column, the greatest ratio."""
    return " and ".join(f"{max(column):.3f}" for column in zip(*ratios, strict=True))


def monthly(done: list[Day]) -> list[str]:
    """The days as Markdown: each month's days of eight files or more, and each tenth day's row."""
    held = [d for d in done if d.files_in_full >= FILES_HELD]
    arrived = sum(d.arrived for d in done)
    lines = [
        f"## {len(done)} daily loads, a partition a month, by (customer, ts)",
        "",
        "| day | rewritten | in full | files of the month | in full |"
        " customer | ts | whole table: customer | ts | same rows |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    lines += [
        f"| {i} | {d.rewritten / d.arrived:.2f} | {d.rewritten_in_full / d.arrived:.2f} |"
        f" {d.files} | {d.files_in_full} |"
        f" {d.ratios[0]:.3f} | {d.ratios[1]:.3f} | {d.table_ratios[0]:.3f} | {d.table_ratios[1]:.3f} |"
        f" {'yes' if d.rows_equal else 'NO'} |"
        for i, d in enumerate(done, 1)
    ]
    lines += [
        "",
        f"All days: {sum(d.rewritten for d in done) / arrived:.2f} bytes rewritten a byte,"
        f" {sum(d.rewritten_in_full for d in done) / arrived:.2f} by full runs of the month. Ratio of the share read"
        " to a full",
        f"run's, in months of {FILES_HELD} files or more ({len(held)} days): customer and ts at most"
        f" {worst([d.ratios for d in held])}; over the whole table",
        f"{worst([d.table_ratios for d in done])}.",
        "",
    ]
    return lines


def report(results: dict[str, list[Round]], daily: list[Day], options: argparse.Namespace) -> str:
    """The results as Markdown."""
    lines = [
        "# Rounds of appends",
        "",
        f"`make rounds`: tables of {options.rows:,} rows in about {options.files} files, z-ordered by two columns.",
        f"Each round appends {options.part:.0%} of that and runs `OPTIMIZE`, with `mode = 'incremental'` on one table,",
        "in full on its twin. Rewritten: bytes that the run read and replaced, for each byte of new files. Share:",
        "of the files, read by a point lookup, by the first and by the second column, exact over all rows"
        " (`DESCRIBE LAYOUT`).",
        "",
    ]
    for name, done in results.items():
        lines += [
            f"## Arrivals {name}: {ARRIVALS[name][1]}",
            "",
            "| round | rewritten | in full | files | in full | shares | in full | ratios | same rows |",
            "| ---: | ---: | ---: | ---: | ---: | --- | --- | --- | --- |",
        ]
        lines += [
            f"| {i} | {r.rewritten / r.arrived:.2f} | {r.rewritten_in_full / r.arrived:.2f} | {r.files} |"
            f" {r.files_in_full} | {r.shares[0]:.4f}, {r.shares[1]:.4f} |"
            f" {r.shares_in_full[0]:.4f}, {r.shares_in_full[1]:.4f} | {r.ratios[0]:.3f}, {r.ratios[1]:.3f} |"
            f" {'yes' if r.rows_equal else 'NO'} |"
            for i, r in enumerate(done, 1)
        ]
        arrived = sum(r.arrived for r in done)
        ours, theirs = sum(r.rewritten for r in done) / arrived, sum(r.rewritten_in_full for r in done) / arrived
        lines += [
            "",
            f"All rounds: {ours:.2f} bytes rewritten a byte, {theirs:.2f} in full; ratio at most"
            f" {worst([r.ratios for r in done])}.",
            "",
        ]
    lines += monthly(daily)
    lines += ["## Machine", ""]
    lines += [f"- {name}: {value}" for name, value in {**versions(), **machine()}.items()]
    return "\n".join(lines) + "\n"


def session(folder: Path) -> SparkSession:
    """A session whose files are in the folder."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("rounds")
    for key, value in {
        "spark.jars": ",".join(jars(DELTA_JARS)),
        "spark.driver.memory": "2g",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
    }.items():
        builder.config(key, value)
    return configure_spark_with_zorder(builder, delta=True).getOrCreate()


def main() -> None:
    """Runs all rounds, prints them and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=400_000, help="rows at the start (default: 400,000)")
    parser.add_argument("--files", type=int, default=64, help="files at the start (default: 64)")
    parser.add_argument("--part", type=float, default=0.1, help="of the rows, appended each round (default: 0.1)")
    parser.add_argument("--day", type=int, default=30_000, help="rows of a daily load (default: 30,000)")
    parser.add_argument("--month", type=int, default=24, help="files of a month of daily loads (default: 24)")
    parser.add_argument("--out", type=Path, default=RESULTS / "rounds.md", help="the report")
    options = parser.parse_args()
    folder = WORK / "rounds"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    spark = session(folder)
    results: dict[str, list[Round]] = {}
    for name, (column, _) in ARRIVALS.items():
        results[name] = []
        for done in rounds(spark, column, options.rows, options.part, options.files):
            results[name].append(done)
            print(f"{name} {len(results[name])}: {done}", flush=True)
    daily = []
    for day in days(spark, options.day, options.month):
        daily.append(day)
        print(f"day {len(daily)}: {day}", flush=True)
    spark.stop()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(report(results, daily, options))
    print(f"\n{options.out}")


if __name__ == "__main__":
    main()
