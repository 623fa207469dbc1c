# SPDX-License-Identifier: Apache-2.0

"""Random queries and statements, with data skipping and without, on tables of Parquet and Delta: the same rows.

make random-queries QUERIES=10000 SEED=1
"""

from __future__ import annotations

import argparse
import logging
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import random_tables  # noqa: E402
from query_texts import QueryTexts  # noqa: E402

from launching import (  # noqa: E402
    DELTA,
    FEW_HADOOP_SETTINGS,
    INTERPRETED,
    PATIENT_COMPILER,
    ZORDER,
    settings,
    small,
    with_shared_classes,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

ENABLED, ADAPTIVE = "spark.sql.zorder.skipping.enabled", "spark.sql.adaptive.enabled"
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
# After so many there are new tables, with other values; a pair of tables is changed so often.
QUERIES_OF_TABLES, CHANGES_OF_TABLES = 1000, 25


class Trial:
    """Compares rows, and counts what it has compared and what failed by itself."""

    def __init__(self, spark: SparkSession, folder: Path, seed: int) -> None:
        """Tables are in `folder`, and all chance is of `seed`."""
        # Of statements that fail by themselves.
        logging.getLogger("SQLQueryContextLogger").disabled = True
        self._spark, self._folder, self._seed = spark, folder, seed
        self._chance = random.Random(seed)
        self._texts = QueryTexts(self._chance)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def queries(self, table_format: str, count: int) -> None:
        """Runs queries on tables of the format."""
        for number in range(count):
            if number % QUERIES_OF_TABLES == 0:
                folder = self._folder / f"{table_format}-{number}"
                random_tables.build(self._spark, folder, table_format, self._seed + number)
            text, conf = self._texts.query(), self._settings()
            # With push-down, which loses rows by itself where a file has -0.0 and 0.0 is asked for.
            expected = self._rows(text, conf | {ENABLED: "false"})
            self._compare(f"{table_format} queries", text, conf, expected, self._rows(text, conf))

    def changes(self, count: int, table_format: str = "delta") -> None:
        """Changes two tables by the same statements, one of them with skipping, and compares the tables."""
        for number in range(count):
            if number % CHANGES_OF_TABLES == 0:
                name = self._chance.choice(random_tables.FACTS)
                tables = self._twins(self._folder / f"changes-{number}", table_format, name, self._seed + number)
            text, conf = self._texts.change(), self._settings()
            ways = zip(tables, ("true", "false"), strict=True)
            done = [self._rows(text.format(t=table), conf | {ENABLED: way}) is not None for table, way in ways]
            found, expected = (self._rows(f"SELECT * FROM {table}", {ENABLED: "false"}) for table in tables)
            what = f"{table_format} changes" if all(done) else f"{table_format} changes, some of which failed,"
            self._compare(what, text, conf, expected, found)

    def _twins(self, folder: Path, table_format: str, name: str, seed: int) -> list[str]:
        """The same table twice; the views are of the one that is built last."""
        if table_format == "iceberg":
            folders = [folder.with_name(f"{folder.name}-{way}") for way in ("with", "without")]
            for each in folders:
                random_tables.build(self._spark, each, table_format, seed)
            return [random_tables.in_iceberg(each, name) for each in folders]
        random_tables.build(self._spark, folder, table_format, seed)
        copies = [folder / f"{name}-with", folder / f"{name}-without"]
        for copy in copies:
            shutil.copytree(folder / name, copy)
        return [f"delta.`{copy}`" for copy in copies]

    def _settings(self) -> dict[str, str]:
        adaptive, threshold = self._chance.random() < 0.75, self._chance.choice(("10m", "10m", "-1"))
        return {ADAPTIVE: str(adaptive).lower(), BROADCAST: threshold}

    def _rows(self, text: str, conf: Mapping[str, str]) -> Counter[str] | None:
        """The multiset of rows; None where the text fails, as by types that cannot be compared."""
        before = {key: self._spark.conf.get(key, None) for key in conf}
        for key, value in conf.items():
            self._spark.conf.set(key, value)
        try:
            return Counter(map(str, self._spark.sql(text).collect()))
        except Exception as error:
            if "INTERNAL" in str(error):
                self.wrong.append(f"{str(error)[:300]}: {text}")
            return None
        finally:
            for key, value in before.items():
                self._spark.conf.unset(key) if value is None else self._spark.conf.set(key, value)

    def _compare(
        self, what: str, text: str, conf: Mapping[str, str], expected: Counter[str] | None, found: Counter[str] | None
    ) -> None:
        # Skipping may spare a row whose cast fails.
        if expected is None:
            self.counts[f"{what} that fail by themselves"] += 1
            return
        self.counts[what] += 1
        # Of a run that is ended before its time one knows what it has compared.
        if self.counts[what] % 100 == 0:
            print(dict(self.counts), flush=True)
        if expected != found:
            rows = found or Counter()
            missing, more = expected - rows, rows - expected
            said = "fails" if found is None else f"misses {missing.total()} rows, has {more.total()} more"
            self.wrong.append(f"{what}, seed {self._seed}: {said}: {text} with {dict(conf)}")
            print(self.wrong[-1], flush=True)


def session(folder: Path) -> SparkSession:
    """A session whose queries are interpreted: of each there is one, on few rows."""
    builder = SparkSession.builder
    conf = with_shared_classes(settings(folder, [DELTA, ZORDER]) | small(folder, PATIENT_COMPILER) | INTERPRETED)
    if "spark.plugins" in conf:
        conf |= FEW_HADOOP_SETTINGS
    for key, value in (
        conf | {"spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "2", "spark.log.level": "OFF"}
    ).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--queries", type=int, default=1000, help="of each format; a tenth as many statements (default: 1000)"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    flags = parser.parse_args()
    print(f"{flags.queries} random queries of each format, seed {flags.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(session(Path(folder)), Path(folder), flags.seed)
        for table_format in ("parquet", "delta"):
            trial.queries(table_format, flags.queries)
            print(dict(trial.counts), flush=True)
        trial.changes(flags.queries // 10)
    print(dict(trial.counts))
    print(
        "\n".join(["WRONG:", *trial.wrong]) if trial.wrong else "rows: the same with skipping and without", flush=True
    )
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
