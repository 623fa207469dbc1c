# SPDX-License-Identifier: Apache-2.0

"""What is easily written wrong, and what it is answered with; made into docs/mistakes.md."""

from __future__ import annotations

import contextlib
import io
import re
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

# `trips` has the columns id, lon, lat, fare, tags (a map) and day, by which it is partitioned, and lies in /data/trips.
SQL = """
OPTIMIZE trips ZORDER (lon, lat)
OPTIMIZE trips ZORDER BY
OPTIMIZE trips ZORDER BY ()
OPTIMIZE trips ZORDER BY (lon lat)
OPTIMIZE trips ZORDER BY (lon, lat,)
OPTIMIZE trips ZORDER BY (lon, lat
OPTIMIZE trips ZORDER BY lon, lat)
OPTIMIZE trips ZORDER BY ('lon', 'lat')
OPTIMIZE trips ZORDER BY ("lon")
OPTIMIZE trips ZORDER BY (lon + 1)
OPTIMIZE trips ZORDER BY (lon DESC)
OPTIMIZE trips ZORDER BY (*)
OPTIMIZE trips ZORDER BY (longitude)
OPTIMIZE trips ZORDER BY (lon, lon)
OPTIMIZE trips ZORDER BY (day)
OPTIMIZE trips ZORDER BY (tags)
OPTIMIZE trips ZORDER BY (lon.x)
OPTIMIZE trips ZORDER BY (lon) WHERE day = 1
OPTIMIZE trips WHERE ZORDER BY (lon)
OPTIMIZE trips WHERE day == ZORDER BY (lon)
OPTIMIZE trips WHERE fare > 10 ZORDER BY (lon)
OPTIMIZE trips WHERE dya = 1 ZORDER BY (lon)
OPTIMIZE trips WHERE day IN (SELECT 1) ZORDER BY (lon)
OPTIMIZE trips ZORDER BY (lon) OPTION (mode = 'full')
OPTIMIZE trips ZORDER BY (lon) OPTIONS mode = 'full'
OPTIMIZE trips ZORDER BY (lon) OPTIONS (mode = 'incr')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (mod = 'full')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (curve = 'z-order')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (target_file_size = 'big')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (target_file_size = '0')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (target_file_size = '-1m')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (targetFileSize = '8m')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (keep_old = '7')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (keep_old = 'a week')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (compression = 'zip')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (compression = 'zstd(99)')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (where_files = 'all')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (force = 'yes')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (batch_size = 'none')
OPTIMIZE trips ZORDER BY (lon) OPTIONS (curve = 'zorder', curve = 'hilbert')
OPTIMIZE trips ZORDER BY (lon) DRYRUN
OPTIMIZE trips ZORDER BY (lon) DRY
OPTIMIZE trips ZORDER BY (lon) DRY RUN OPTIONS (mode = 'full')
OPTIMIZE trip ZORDER BY (lon)
OPTIMIZE trips_view ZORDER BY (lon)
OPTIMIZE lines ZORDER BY (id)
OPTIMIZE buckets ZORDER BY (id)
OPTIMIZE '/data/nothing' ZORDER BY (lon)
OPTIMIZE parquet.`/data/trips/*` ZORDER BY (lon)
OPTIMIZE parquet.`/data/trips/day=1` ZORDER BY (lon)
OPTIMIZE csv.`/data/trips` ZORDER BY (lon)
OPTIMIZE parquet.`/data/lines` ZORDER BY (id)
OPTIMIZE /data/trips ZORDER BY (lon)
DESCRIBE LAYOUT trips (lon)
DESCRIBE LAYOUT trips ON lon
DESCRIBE LAYOUT trips ON (longitude)
DESCRIBE LAYOUT trips WHERE lon > 1
DESCRIBE LAYOUT trip
DESCRIBE LAYOUT lines
ADVISE LAYOUT
ADVISE LAYOUT trips FOR SELECT * FROM trips
ADVISE LAYOUT trips FOR (DROP TABLE trips)
ADVISE LAYOUT trips FOR (SELECT * FROM trip)
ADVISE LAYOUT trips OPTIONS (columns = '2')
EXPLAIN SKIPPING
EXPLAIN SKIPPING SELEC * FROM trips
EXPLAIN SKIPPING DELETE FROM trips
EXPLAIN SKIPPING SELECT * FROM trip
ANALYZE TABLE trips COMPUTE FILE STATISTIC
ANALYZE TABLE trips COMPUTE FILE STATISTICS FOR COLUMN lon
ANALYZE TABLE trips COMPUTE FILE STATISTICS FOR COLUMNS (lon)
ANALYZE TABLE trips COMPUTE FILE STATISTICS FOR COLUMNS tags
ANALYZE TABLE lines COMPUTE FILE STATISTICS
ALTER TABLE trips SORT BY lon
ALTER TABLE trips SORT BY ZORDER (longitude)
ALTER TABLE trips SORT BY HILBERT (lon)
ALTER TABLE parquet.`/data/trips` SORT BY ZORDER (lon)
DESCRIBE REWRITES lines
RESTORE TABLE trips TO BEFORE REWRITE
RESTORE TABLE trips TO BEFORE REWRITE one
RESTORE TABLE trips TO BEFORE REWRITE 3
VACUUM trips REPLACED
VACUUM trips REPLACED FILES RETAIN 7 DAYS
FSCK REPAIR
FSCK REPAIR trips DRYRUN
FSCK REPAIR TABLE lines
"""

PYTHON = """
ZOrderTable.forName(spark, "trip").optimize().executeZOrderBy("lon")
ZOrderTable.forPath(spark, "/data/nothing").optimize().executeZOrderBy("lon")
ZOrderTable.forPath(spark, "/data/trips", format="csv")
table.optimize().executeZOrderBy()
table.optimize().executeZOrderBy("lon,lat")
table.optimize().executeZOrderBy(["lon"], ["lat"])
table.optimize().executeZOrderBy(1)
table.optimize({"curve": "hilbert"}).executeCompaction()
table.optimize().option("mode", "incr").executeZOrderBy("lon")
table.optimize().where("day").executeZOrderBy("lon")
table.optimize({"target_file_size": "big"}).executeZOrderBy("lon")
table.restoreBefore("3")
table.vacuumReplaced(retentionHours=1.5)
table.repair("yes")
"""

SHELL = """
spark-zorder
spark-zorder optimise data/trips --by lon
spark-zorder optimize --by lon
spark-zorder optimize data/trips --by
spark-zorder restore data/trips
spark-zorder restore data/trips --rewrite one
spark-zorder vacuum data/trips --retain-hours -1
"""


def page(spark: SparkSession, made: str) -> str:
    """The page.

    Args:
        spark: a classic or Connect session with the extension.
        made: the comment of a page that is made.
    """
    lines = ["# Mistakes", "", made]
    lines += [
        "What is easily written wrong, and how the answer begins; most go on in another line and say what to do.",
        "`trips` is a Parquet table with the columns `id`, `lon`, `lat`, `fare`, `tags` (a map) and `day`, by which it",
        "is partitioned; `lines` is of CSV. [Errors](errors.md) has the conditions.",
        "",
    ]
    with TemporaryDirectory() as folder:
        _make(spark, folder)
        for title, cases in (("SQL", _sql(spark, folder)), ("Python", _python(spark, folder)), ("Shell", _shell())):
            lines += [f"## {title}", "", "| written | condition | answer |", "| --- | --- | --- |"]
            for text, condition, answer in cases:
                name = f"`{condition}`" if condition else ""
                lines.append(f"| `` {text} `` | {name} | {_cell(answer.replace(folder, '/data'))} |")
            lines += [""]
    return "\n".join(lines)


def _drop(spark: SparkSession) -> None:
    spark.sql("DROP VIEW IF EXISTS trips_view")
    for name in ("trips", "lines", "buckets"):
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def _make(spark: SparkSession, folder: str) -> None:
    _drop(spark)
    columns = "id, id % 36 AS lon, id % 18 AS lat, id / 4 AS fare, map('a', id) AS tags, id % 2 AS day"
    at = f"LOCATION '{folder}/trips'"
    trips = f"CREATE TABLE trips USING parquet PARTITIONED BY (day) {at}"
    spark.sql(f"{trips} AS SELECT {columns} FROM range(100)")  # noqa: S608
    spark.sql(f"CREATE TABLE lines USING csv LOCATION '{folder}/lines' AS SELECT id FROM range(9)")  # noqa: S608
    spark.sql("CREATE TABLE buckets (id BIGINT) USING parquet CLUSTERED BY (id) INTO 2 BUCKETS")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW trips_view AS SELECT * FROM trips")


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


def _sql(spark: SparkSession, folder: str) -> Iterator[tuple[str, str | None, str]]:
    for text in _lines(SQL):
        yield (text, *_answer(lambda text=text: spark.sql(text.replace("/data", folder)).collect()))


def _python(spark: SparkSession, folder: str) -> Iterator[tuple[str, str | None, str]]:
    from spark_zorder import ZOrderTable

    names = {"spark": spark, "ZOrderTable": ZOrderTable, "table": ZOrderTable.forName(spark, "trips")}

    def run(text: str) -> object:
        found = eval(text.replace("/data", folder), names)  # noqa: S307
        return found.collect() if hasattr(found, "collect") else found.optimize().executeZOrderBy("lon")

    for text in _lines(PYTHON):
        yield (text, *_answer(lambda text=text: run(text)))


def _shell() -> Iterator[tuple[str, str | None, str]]:
    from spark_zorder.__main__ import main

    for text in _lines(SHELL):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            main(text.split()[1:])
        yield text, None, _shown(said.getvalue().strip().splitlines()[-1])


def _answer(run: Any) -> tuple[str | None, str]:  # noqa: ANN401
    try:
        run()
    except Exception as error:
        condition = error.getCondition() if hasattr(error, "getCondition") else type(error).__name__
        return condition, _shown(str(error))
    return None, "is accepted"


def _shown(text: str) -> str:
    """The first paragraph, without the condition and names by chance."""
    line = re.sub(r"^\[[\w.]+\] ", "", text.strip().splitlines()[0])
    line = re.sub(r" SQLSTATE: \w{5}.*", "", line)
    return re.sub(r"part-00000-[0-9a-f-]{36}-c000", "part-00000", line).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*").replace("_", "\\_")
