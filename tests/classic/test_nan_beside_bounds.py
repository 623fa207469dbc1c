# SPDX-License-Identifier: Apache-2.0

"""Files of pandas leave NaN out of bounds: a query skips them by their other values, and never a row of NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scans import run_counting_files

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FILES = 8
NAN = float("nan")

# A predicate, and the files that it reads at most; of eight files of which each has ten numbers, two have NaN, too.
PREDICATES = {
    "x = 35": 1,
    "x BETWEEN 31 AND 38": 1,
    "x IN (5, 75)": 2,
    "x > 31 AND x < 38 AND y > -39 AND y < -30": 1,
    "f = 35": 1,
    "CAST(f AS DOUBLE) = 35": 1,
    "x <=> 35": 1,
    "x < 25": 3,
    # NaN is above all numbers.
    "x > 55": FILES,
    "NOT (x <= 75)": FILES,
    "x >= 75 OR x < 5": FILES,
    "isnan(x)": FILES,
    "x = double('NaN')": FILES,
    "x IN (35, double('NaN'))": FILES,
    "x IS NULL": FILES,
    "x IS NOT NULL AND NOT isnan(x) AND x > 70": FILES,
    "x = y": FILES,
    "-x = -35": FILES,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nan") / "t"
    path.mkdir()
    for i in range(FILES):
        x = [float(10 * i + j) or -0.0 for j in range(10)]
        odd = [NAN, None] if i % 4 == 2 else []
        values = [*x, *odd]
        columns = {"id": list(range(i * 100, i * 100 + len(values))), "x": values}
        table = pa.table(columns | {"y": [-v if v is not None else None for v in values]})
        table = table.append_column("f", pa.array(values, pa.float32()))
        pq.write_table(table, path / f"{i}.parquet")
    return path


@pytest.mark.daily
def test_the_index_answers_as_the_rows_do(spark: SparkSession, folder: Path) -> None:
    name = f"parquet.`{folder}`"
    spark.sql(f"ANALYZE TABLE {name} COMPUTE FILE STATISTICS")
    for predicate, most in PREDICATES.items():
        query = f"SELECT id FROM {name} WHERE {predicate}"
        rows, files = run_counting_files(spark, query, predicate)
        spark.conf.set("spark.sql.zorder.skipping.enabled", "false")
        try:
            expected = spark.sql(query).collect()
        finally:
            spark.conf.unset("spark.sql.zorder.skipping.enabled")
        assert sorted(rows) == sorted(expected), predicate
        assert files <= most, (predicate, files)


def test_the_maximum_that_files_record_is_shown(spark: SparkSession, folder: Path) -> None:
    found = {r["column"]: r for r in spark.sql(f"SELECT * FROM describe_layout('{folder}')").collect()}
    assert (found["x"]["min"], found["x"]["max"]) == ("-0.0", "79.0")
    files = spark.sql(f"DESCRIBE LAYOUT EXTENDED parquet.`{folder}` ON (x)").collect()
    assert sorted(float(r["max"]) for r in files) == [10.0 * i + 9 for i in range(FILES)]


def test_a_rewrite_keeps_every_nan(spark: SparkSession, folder: Path) -> None:
    name = f"parquet.`{folder}`"
    before = sorted(str(r) for r in spark.read.parquet(str(folder)).collect())
    options = "OPTIONS (force = true, where_files = 'overlapping')"
    spark.sql(f"OPTIMIZE {name} WHERE x BETWEEN 21 AND 28 ZORDER BY (x, y) {options}")
    spark.sql(f"OPTIMIZE {name} ZORDER BY (x, y) OPTIONS (force = true)")
    assert sorted(str(r) for r in spark.read.parquet(str(folder)).collect()) == before
    found = {r["column"]: r for r in spark.sql(f"SELECT * FROM describe_layout('{folder}')").collect()}
    assert found["id"]["rows"] == len(before)
