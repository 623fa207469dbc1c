# SPDX-License-Identifier: Apache-2.0

"""Files of the encoder, read by others: Spark with and without vectors, pyarrow, DuckDB, delta-rs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from deltalake import DeltaTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ROWS = 30_000
COLUMNS = """id, id % 3 = 0 AS flag, CAST(id % 100 AS TINYINT) AS tiny, CAST(id % 9000 AS SMALLINT) AS small,
    IF(id % 7 = 0, NULL, CAST(hash(id) AS INT)) AS number, CAST(id AS FLOAT) / 8 AS real,
    CASE WHEN id % 50 = 0 THEN double('NaN') WHEN id % 51 = 0 THEN double('-0.0') ELSE id / 3.0D END AS double,
    CAST(id AS DECIMAL(7, 2)) AS d7, CAST(-id * 1000003 AS DECIMAL(17, 3)) AS d17,
    CAST(id * 1000000007 AS DECIMAL(38, 5)) - 10 AS d38, IF(id % 5 = 0, NULL, concat('ü', id % 4000)) AS text,
    IF(id % 11 = 0, '', sha2(CAST(id AS STRING), 256)) AS hash, CAST(CAST(id AS STRING) AS BINARY) AS bytes,
    date_add(DATE'1960-01-01', CAST(id AS INT)) AS day, timestamp_micros(id * 1000003) AS moment,
    CAST(timestamp_micros(id * 7) AS TIMESTAMP_NTZ) AS local, array(id, id + 1) AS list,
    named_struct('a', id, 'b', CAST(id AS STRING)) AS pair"""
SETTINGS = {
    "parquet.page.write-checksum.enabled": "true",
    "parquet.block.size": "400000",
    "parquet.page.size": "20000",
    "parquet.dictionary.page.size": "30000",
}
CHECKSUMS = "parquet.page.verify-checksum.enabled"
FILTER = "id BETWEEN 12000 AND 12999"


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> pyarrow.Table:
    """What was written, by way of no file."""
    return spark.range(ROWS).selectExpr(*_split(COLUMNS)).toArrow()


@pytest.fixture(scope="module")
def written(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("encoder") / "t"
    session = {"spark.sql.zorder.write.encoder": "true", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}
    for key, value in session.items():
        spark.conf.set(key, value)
    try:
        writer = spark.range(0, ROWS, 1, 2).selectExpr(*_split(COLUMNS)).write
        for key, value in SETTINGS.items():
            writer = writer.option(key, value)
        writer.parquet(str(path))
    finally:
        for key in session:
            spark.conf.unset(key)
    return path


def _split(columns: str) -> list[str]:
    """Expressions by the commas outside of brackets."""
    found, depth = [""], 0
    for char in columns:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return [expression.strip() for expression in found]


def plain(table: pyarrow.Table) -> list[dict[str, Any]]:
    """Rows by their id; NaN, which equals nothing, as a word."""
    return [
        {key: "NaN" if value != value else value for key, value in row.items()}
        for row in sorted(table.to_pylist(), key=lambda row: row["id"])
    ]


def test_spark_finds_a_page_that_changed(spark: SparkSession, written: Path, tmp_path: Path) -> None:
    copy = tmp_path / "t.parquet"
    original = next(written.glob("part-*.parquet"))
    pages = pyarrow.parquet.ParquetFile(original).metadata.row_group(0).column(0)
    content = bytearray(original.read_bytes())
    content[pages.data_page_offset + pages.total_compressed_size // 2] ^= 1
    copy.write_bytes(content)
    spark.conf.set(CHECKSUMS, "true")
    try:
        with pytest.raises(Exception, match="CRC checksum verification failed"):
            spark.read.parquet(str(copy)).agg({"id": "sum"}).collect()
    finally:
        spark.conf.unset(CHECKSUMS)


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_spark(spark: SparkSession, rows: pyarrow.Table, written: Path, vectorized: str) -> None:
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    spark.conf.set(CHECKSUMS, "true")
    try:
        table = spark.read.parquet(str(written))
        assert plain(table.toArrow()) == plain(rows)
        # By page indexes.
        assert table.where(FILTER).count() == 1000
        assert table.where("text = 'ü77'").count() == rows_where(rows, "text", "ü77")
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
        spark.conf.unset(CHECKSUMS)


def rows_where(rows: pyarrow.Table, column: str, value: object) -> int:
    return sum(found == value for found in rows.column(column).to_pylist())


def test_pyarrow(rows: pyarrow.Table, written: Path) -> None:
    files = sorted(written.glob("*.parquet"))
    assert sum(pyarrow.parquet.ParquetFile(f).num_row_groups for f in files) > 2 * len(files)
    tables = [pyarrow.parquet.read_table(f, page_checksum_verification=True) for f in files]
    assert plain(pyarrow.concat_tables(tables)) == plain(rows)
    by_statistics = pyarrow.dataset.dataset(files).to_table(filter=pyarrow.dataset.field("id") >= ROWS - 100)
    assert by_statistics.num_rows == 100


def test_duckdb(rows: pyarrow.Table, written: Path) -> None:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    found = connection.sql(f"SELECT * FROM read_parquet('{written}/*.parquet')").fetchall()
    expected = connection.sql("SELECT * FROM rows").fetchall()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    counted = connection.sql(f"SELECT count(*) FROM read_parquet('{written}/*.parquet') WHERE {FILTER}")
    assert counted.fetchall() == [(1000,)]


@pytest.mark.daily
def test_delta_rs(spark: SparkSession, rows: pyarrow.Table, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    flat = [c for c in _split(COLUMNS) if not c.endswith((" list", " pair"))]
    spark.range(0, ROWS, 1, 3).selectExpr(*flat).write.format("delta").save(path)
    spark.sql(f"OPTIMIZE delta.`{path}` ZORDER BY (number, text) OPTIONS (target_file_size = '300k')").collect()
    table = DeltaTable(path)
    assert len(table.file_uris()) > 3
    assert plain(table.to_pyarrow_table()) == plain(rows.drop_columns(["list", "pair"]))
    assert table.to_pyarrow_table(filters=[("text", "=", "ü77")]).num_rows == rows_where(rows, "text", "ü77")
