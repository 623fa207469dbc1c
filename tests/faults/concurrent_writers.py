# SPDX-License-Identifier: Apache-2.0

"""Four appending and two deleting writers against repeated OPTIMIZE on one table, which must end with exactly the rows
that the writers' own records say.

    .venv/bin/python tests/faults/concurrent_writers.py --seconds 120
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from writers import PARTITIONS, ROWS, Appender, Deleter, Optimizer, Turns, row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START = 2000
PATIENCE = 600  # seconds beyond those asked for; only writers that never get their turn take so long


@dataclass
class Summary:
    """What a run did, and whether the table has the rows that it must have."""

    layout: str
    seconds: float
    versions: int
    commits: dict[str, int]
    outcomes: dict[str, Counter[str]]
    rows: int
    missing: int
    unexpected: int

    @property
    def equal(self) -> bool:
        return self.missing == self.unexpected == 0

    def lines(self) -> list[str]:
        done = [
            f"{k}: {c['committed']} committed, {c['conflict']} refused by a conflict" for k, c in self.outcomes.items()
        ]
        commits = ", ".join(f"{n} {operation}" for operation, n in sorted(self.commits.items()))
        verdict = "equal" if self.equal else f"{self.missing} MISSING, {self.unexpected} UNEXPECTED"
        return [
            f"{self.layout}, {self.seconds:.0f} s: {self.versions} versions ({commits})",
            *done,
            f"rows at the end: {self.rows}; as a multiset against the writers' records: {verdict}",
        ]


def create(spark: SparkSession, folder: Path, partitioned: bool) -> str:
    table = f"delta.`{folder}`"
    by = "PARTITIONED BY (p)" if partitioned else ""
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, a INT, b DOUBLE, c STRING, p INT) USING delta {by} "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    spark.sql(f"INSERT INTO {table} {ROWS.format(first=0, end=START)}").collect()
    return table


def run(spark: SparkSession, folder: Path, seconds: float, *, partitioned: bool) -> Summary:
    """One run on a new table in the folder; raises what a writer met beside conflicts."""
    table = create(spark, folder, partitioned)
    stop = threading.Event()
    turns = Turns()
    appenders = [Appender(i, spark, table, stop, turns) for i in range(1, 5)]

    def there() -> list[int]:
        return [*range(START), *(number for a in appenders for number in list(a.appended))]

    deleters = [Deleter(i, spark, table, stop, turns, there) for i in range(1, 3)]
    optimizer = Optimizer(spark, table, stop, turns, [*appenders, *deleters])
    writers = [*appenders, *deleters, optimizer]
    for writer in writers:
        writer.start()
    stop.wait(seconds)
    for _ in range(PATIENCE):
        # On a slow machine a kind of writer may not have had its turn yet.
        if all(any(w.outcomes["committed"] for w in of) for of in (appenders, deleters, [optimizer])):
            break
        stop.wait(1)
    stop.set()
    for writer in writers:
        writer.join()
    for writer in writers:
        if writer.error:
            raise RuntimeError(f"{writer.name} on {table}") from writer.error

    gone = set().union(*(d.deleted for d in deleters))
    expected = Counter(row(number) for number in there() if number not in gone)
    found = Counter(tuple(r) for r in spark.sql(f"SELECT * FROM {table}").collect())
    history = Counter(r["operation"] for r in spark.sql(f"DESCRIBE HISTORY {table}").collect())
    kinds = {"appends": appenders, "deletes": deleters, "OPTIMIZE": [optimizer]}
    return Summary(
        f"{PARTITIONS} partitions" if partitioned else "not partitioned",
        seconds,
        history.total(),
        dict(history),
        {kind: sum((w.outcomes for w in of), Counter()) for kind, of in kinds.items()},
        found.total(),
        (expected - found).total(),
        (found - expected).total(),
    )


def main() -> int:
    from pyspark.sql import SparkSession

    from launching import DELTA, ZORDER, settings

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120, help="how long each of the two runs lasts")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = SparkSession.builder
        for key, value in settings(folder, [DELTA, ZORDER]).items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        summaries = [run(spark, folder / f"t{p}", seconds, partitioned=p) for p in (True, False)]
        spark.stop()
    print("\n\n".join("\n".join(s.lines()) for s in summaries))
    return 0 if all(s.equal for s in summaries) else 1


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(main())
