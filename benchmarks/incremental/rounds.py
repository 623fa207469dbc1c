# SPDX-License-Identifier: Apache-2.0

"""Ten rounds of appends: what `mode = 'incremental'` rewrites, and its point lookups beside a full run's.

Two tables get the same appends. One is z-ordered incrementally after each, the other in full. Nothing is timed.
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
    share: float
    share_in_full: float
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
        (share, count), (full_share, full_count) = lookup(spark, "grown"), lookup(spark, "rewritten")
        equal = checksum(spark, "grown") == checksum(spark, "rewritten")
        yield Round(arrived, rewritten, in_full, count, full_count, share, full_share, equal)


def arrivals(spark: SparkSession, column: str, low: int, high: int, base: int, files: int) -> DataFrame:
    """Rows `low` to `high`, the same each time."""
    return spark.range(low, high, 1, files).selectExpr(
        "id", f"{column.format(base=base)} AS w", "xxhash64(id, 2) AS x", "hex(xxhash64(id, 3)) AS payload"
    )


def optimize(spark: SparkSession, table: str, size: int, mode: str) -> int:
    """Runs OPTIMIZE. Returns the bytes it rewrote."""
    options = f"mode = '{mode}', target_file_size = '{size}'"
    row = spark.sql(f"OPTIMIZE {table} ZORDER BY (w, x) OPTIONS ({options})").collect()[0]
    return row["metrics"]["filesRemoved"]["totalSize"]


def lookup(spark: SparkSession, table: str) -> tuple[float, int]:
    """Returns the mean share of files that a point lookup by either column reads, and the number of files."""
    rows = ZOrderTable.forName(spark, table).layout("w", "x", allRows=True).collect()
    return sum(row["point_read_share"] for row in rows) / len(rows), rows[0]["files"]


def checksum(spark: SparkSession, table: str) -> Counter[object]:
    """A sum over the hashes of all rows, and their number: equal for equal multisets."""
    sums = spark.sql(f"SELECT count(*), sum(cast(xxhash64(*) AS decimal(20))), sum(id) FROM {table}").collect()
    return Counter(sums)


def report(results: dict[str, list[Round]], options: argparse.Namespace) -> str:
    """The results as Markdown."""
    lines = [
        "# Ten rounds of appends",
        "",
        f"`make rounds`: tables of {options.rows:,} rows in about {options.files} files, z-ordered by two columns.",
        f"Each round appends {options.part:.0%} of that and runs `OPTIMIZE`, with `mode = 'incremental'` on one table,",
        "in full on its twin. Rewritten: bytes that the run read and replaced, for each byte of new files. Share:",
        "of the files, read by a point lookup, mean of both columns, exact over all rows (`describe_layout`).",
        "",
    ]
    for name, done in results.items():
        lines += [
            f"## Arrivals {name}: {ARRIVALS[name][1]}",
            "",
            "| round | rewritten | in full | files | in full | share | in full | ratio | same rows |",
            "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
        ]
        lines += [
            f"| {i} | {r.rewritten / r.arrived:.2f} | {r.rewritten_in_full / r.arrived:.2f} | {r.files} |"
            f" {r.files_in_full} | {r.share:.4f} | {r.share_in_full:.4f} | {r.share / r.share_in_full:.3f} |"
            f" {'yes' if r.rows_equal else 'NO'} |"
            for i, r in enumerate(done, 1)
        ]
        arrived = sum(r.arrived for r in done)
        ours, theirs = sum(r.rewritten for r in done) / arrived, sum(r.rewritten_in_full for r in done) / arrived
        worst = max(r.share / r.share_in_full for r in done)
        lines += [
            "",
            f"All rounds: {ours:.2f} bytes rewritten a byte, {theirs:.2f} in full; ratio at most {worst:.3f}.",
            "",
        ]
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
    spark.stop()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(report(results, options))
    print(f"\n{options.out}")


if __name__ == "__main__":
    main()
