# SPDX-License-Identifier: Apache-2.0

"""Tables that older builds have made and left, some of them in the middle of a rewrite, by today's jar.

`tests/older/make_tables.py` says what is in them. A build is added there before the form of anything that is stored
changes.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scans import run_counting_files
from spark_zorder import ZOrderTable

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

ARCHIVES = sorted((Path(__file__).parents[1] / "older").glob("tables-*.tar.xz"))
FORMATS = ("parquet", "delta")
OPTIONS = {"target_file_size": "3k"}
INCREMENTAL = {**OPTIONS, "mode": "incremental"}


@pytest.fixture(params=ARCHIVES, ids=[archive.name.partition(".")[0] for archive in ARCHIVES])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    for name, time in made(tmp_path)["times"].items():
        os.utime(tmp_path / name, ns=(time, time))
    return tmp_path


def made(older: Path) -> dict[str, Any]:
    return dict(json.loads((older / "made.json").read_text()))


def expected(rows: int) -> Counter[tuple[int, int, int, str, int]]:
    """As `ROWS` of make_tables.py."""
    return Counter((n, n * 37 % 1000, n * 91 % 1000, f"s{n % 50}", n % 3) for n in range(rows))


def rows_of(spark: SparkSession, source: str) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row) for row in spark.sql(f"SELECT n, x, y, s, p FROM {source}").collect())


def moved(row: Row) -> tuple[int, int]:
    return row["metrics"]["numFilesRemoved"], row["metrics"]["numFilesAdded"]


@pytest.mark.parametrize("form", FORMATS)
def test_clustered_tables_are_read_described_and_clustered_further(spark: SparkSession, older: Path, form: str) -> None:
    table = ZOrderTable.forPath(spark, older / f"{form}_clustered", format=form)
    assert rows_of(spark, table.name) == expected(700)
    files = len({row["file"] for row in table.files().collect()})
    assert {row["column"] for row in table.describeLayout("x", "y").collect()} == {"x", "y"}

    # Files of a build before `layer` count as not laid out: the first run is a full one, later ones have nothing to do.
    removed, added = moved(table.optimize(INCREMENTAL).executeZOrderBy("x", "y").collect()[0])
    assert (removed, added > 0) == (files, True)
    assert rows_of(spark, table.name) == expected(700)
    assert moved(table.optimize(INCREMENTAL).executeZOrderBy("x", "y").collect()[0]) == (0, 0)
    assert rows_of(spark, table.name) == expected(700)


@pytest.mark.long
def test_an_index_of_an_older_form_is_ignored_and_made_anew(spark: SparkSession, older: Path) -> None:
    path = older / "parquet_clustered"
    indexes = [file.name for file in (path / "_zorder" / "statistics").glob("*.parquet")]
    assert [name[:3] for name in indexes] == ["v1-"]
    query = f"SELECT count(*) FROM parquet.`{path}` WHERE n = 650"
    files = len(list(path.glob("p=*/*.parquet")))
    (count,), read = run_counting_files(spark, query, "with the old index")
    assert (count[0], read) == (1, files)

    (row,) = ZOrderTable.forPath(spark, path, format="parquet").computeFileStatistics().collect()

    assert (row["files"], row["footers_read"]) == (files, files)
    (count,), read = run_counting_files(spark, query, "with a new one")
    assert (count[0], read < files) == (1, True)
    assert rows_of(spark, f"parquet.`{path}`") == expected(700)


@pytest.mark.long
@pytest.mark.parametrize("name", ["parquet_open", "parquet_decided"])
def test_what_a_killed_rewriter_left_is_read_once_and_finished(spark: SparkSession, older: Path, name: str) -> None:
    path = older / name
    assert len(list((path / "_zorder" / "log").glob("*.json"))) == 1
    assert rows_of(spark, f"parquet.`{path}`") == expected(600)

    spark.sql(f"ANALYZE TABLE parquet.`{path}` COMPUTE FILE STATISTICS").collect()

    # All of its files were staged, so that it is carried through.
    assert not list((path / "_zorder" / "staging").glob("*"))
    assert not list(path.glob("p=*/part-old-*.parquet"))
    assert rows_of(spark, f"parquet.`{path}`") == expected(600)
    # No reader sees a row twice or misses one, with or without the log.
    (path / "_zorder").rename(older / "away")
    spark.catalog.refreshByPath(str(path))
    assert rows_of(spark, f"parquet.`{path}`") == expected(600)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_the_next_statement_finishes_it_too(spark: SparkSession, older: Path, form: str) -> None:
    name = "parquet_decided" if form == "parquet" else "delta_clustered"
    table = ZOrderTable.forPath(spark, older / name, format=form)
    before = rows_of(spark, table.name)
    assert moved(table.optimize(OPTIONS).executeZOrderBy("x", "y").collect()[0])[1] > 0
    assert rows_of(spark, table.name) == before


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_orders_of_tables_hold(spark: SparkSession, older: Path, form: str) -> None:
    name = f"{form}_ordered"
    properties = {key: value for key, value in made(older)["properties"][name].items() if key.startswith("sort.")}
    assert properties == {"sort.columns": "x,y", "sort.order": "ZORDER"}
    # Delta's are in its log.
    own = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items() if form == "parquet")
    columns = "(n BIGINT, x BIGINT, y BIGINT, s STRING, p BIGINT)"
    spark.sql(
        f"CREATE TABLE {name} {columns} USING {form} PARTITIONED BY (p) LOCATION '{older / name}'"
        + (f" TBLPROPERTIES ({own})" if own else "")
    )
    try:
        if form == "parquet":
            spark.sql(f"MSCK REPAIR TABLE {name}")
        assert rows_of(spark, name) == expected(600)
        shown = {row[0]: row[1] for row in spark.sql(f"SHOW TBLPROPERTIES {name}").collect()}
        assert properties.items() <= shown.items()
        # Without columns: those of the order.
        assert moved(spark.sql(f"OPTIMIZE {name} ZORDER OPTIONS (target_file_size = '3k')").collect()[0])[1] > 0
        spark.sql(f"INSERT INTO {name} SELECT n + 600, x, y, s, p FROM {name} WHERE n < 10")
        assert spark.table(name).count() == 610
        spark.sql(f"ALTER TABLE {name} SORT BY ()")
        assert "sort.columns" not in {row[0] for row in spark.sql(f"SHOW TBLPROPERTIES {name}").collect()}
    finally:
        spark.sql(f"DROP TABLE {name}")
