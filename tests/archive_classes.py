# SPDX-License-Identifier: Apache-2.0

"""Writes an archive of the classes of Spark and Delta that a driver of the tests loads (class-data sharing of the JVM).

python archive_classes.py FILE
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from launching import DELTA, INTERPRETED, ZORDER, settings, sharing


def main() -> None:
    """Starts a driver, has it do a little of everything, and lets it write the archive when it ends."""
    archive = Path(sys.argv[1]).resolve()
    new = archive.with_suffix(".new")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        conf = sharing(settings(folder, [DELTA, ZORDER]), f"-XX:ArchiveClassesAtExit={new}")
        builder = SparkSession.builder
        for key, value in conf.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        jvm = spark.sparkContext._gateway.proc
        use(spark, folder)
        for key, value in INTERPRETED.items():
            spark.conf.set(key, value)
        use(spark, folder / "interpreted")
        spark.stop()
        # Its end is when Python closes its input.
        jvm.stdin.close()
        jvm.wait()
    new.rename(archive)


def use(spark: SparkSession, folder: Path) -> None:
    """Statements on a table of each format."""
    for table_format in ("delta", "parquet"):
        table = f"{table_format}.`{folder / table_format}`"
        rows = spark.range(2000).selectExpr("id a", "id % 37 b", "CAST(id AS STRING) s", "id % 2 p")
        rows.write.format(table_format).partitionBy("p").save(str(folder / table_format))
        spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (target_file_size = '8k')").collect()
        spark.sql(f"DESCRIBE LAYOUT {table} ON (a)").collect()
        spark.sql(f"EXPLAIN SKIPPING SELECT sum(a) FROM {table} WHERE b = 3").collect()
        spark.sql(f"SELECT p, count(*) FROM {table} WHERE b < 3 GROUP BY p ORDER BY p").collect()
    spark.sql(f"DELETE FROM delta.`{folder / 'delta'}` WHERE a = 5").collect()


if __name__ == "__main__":
    main()
