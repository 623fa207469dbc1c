# SPDX-License-Identifier: Apache-2.0

"""spark-sql and spark-submit with --jars and --conf, as the README says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from launching import BIN, DELTA, ROOT, ZORDER, flags, run, settings

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
from pyspark.sql import SparkSession
from spark_zorder import ZOrderTable, configure_spark_with_zorder

spark = configure_spark_with_zorder(SparkSession.builder.appName("submitted"), delta=True).getOrCreate()
spark.range(1000).selectExpr("id", "id % 10 AS x").repartition(8).write.format("delta").saveAsTable("t")
(row,) = ZOrderTable.forName(spark, "t").optimize().executeZOrderBy("x", "id").collect()
print("removed", row["metrics"]["numFilesRemoved"], "rows", spark.table("t").distinct().count())
spark.stop()
"""


def test_spark_sql_runs_the_quickstart(tmp_path: Path) -> None:
    file = ROOT / "sql-examples" / "01_quickstart.sql"
    conf = settings(tmp_path, [DELTA, ZORDER]) | {"spark.sql.catalogImplementation": "in-memory"}

    done = run([str(BIN / "spark-sql"), *flags(conf), "-f", str(file)], tmp_path)

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    layouts = [line.split("\t") for line in lines if re.match(r"(user|place)\t\d+\t[\d.]+ kB\t", line)]
    assert [(cells[1], float(cells[5]), cells[6]) for cells in layouts[:2]] == [("16", 1.0, "poor")] * 2
    after = layouts[2:]
    assert len(after) == 2
    assert all(float(cells[5]) < 0.35 and cells[6] == "good" for cells in after)
    assert [line.split("\t")[0] for line in lines[-4:]] == ["0", "1", "2", "3"]


@pytest.mark.long
def test_spark_sql_on_a_catalog_table(tmp_path: Path) -> None:
    conf = settings(tmp_path, [DELTA, ZORDER]) | {"spark.sql.catalogImplementation": "in-memory"}
    sql = (
        "CREATE DATABASE db; CREATE TABLE db.t (a INT, b STRING, p INT) USING delta PARTITIONED BY (p); "
        "INSERT INTO db.t VALUES (1, 'x', 0), (2, 'y', 1); SET column = b; "
        "OPTIMIZE db.t WHERE p = 1 ZORDER BY (a, ${column}); SELECT * FROM db.t ORDER BY a; "
        "DESCRIBE HISTORY db.t LIMIT 1;"
    )

    done = run([str(BIN / "spark-sql"), *flags(conf), "-e", sql], tmp_path)

    assert done.returncode == 0
    assert "1\tx\t0\n2\ty\t1\n" in done.stdout
    assert re.search(r"zOrderBy\W+a\W+b\W", done.stdout)


@pytest.mark.long
def test_spark_submit(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(SCRIPT)

    done = run([str(BIN / "spark-submit"), *flags(settings(tmp_path, [DELTA, ZORDER])), str(script)], tmp_path)

    assert done.returncode == 0
    assert "removed 8 rows 1000" in done.stdout
