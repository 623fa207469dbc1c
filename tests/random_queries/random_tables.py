# SPDX-License-Identifier: Apache-2.0

"""Random tables whose files hold neighbours, with NULL, NaN and -0.0 in columns of all types that skip files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.functions import col

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

# By name, each made of the number `v`.
COLUMNS = {
    "l": "cast(v AS bigint)",
    "i": "cast(v AS int)",
    "h": "cast(v % 100 AS smallint)",
    "d": "CASE v % 11 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE v / 4.0D END",
    "f": "CASE v % 13 WHEN 0 THEN float('NaN') WHEN 1 THEN float('-Infinity') ELSE float(v) END",
    "t": "concat(chr(97 + v % 5), v)",
    # Longer than the 32 characters that Delta keeps of bounds.
    "u": "concat(repeat('ab', 17), lpad(v, 4, '0'))",
    "n": "cast(v AS decimal(9, 2))",
    "w": "cast(v AS decimal(20, 3)) * 1000000000000",
    "y": "date_add(DATE'2024-01-01', v)",
    "m": "timestamp_seconds(v * 3601)",
    "z": "cast(timestamp_seconds(v * 3601) AS timestamp_ntz)",
    "b": "v % 7 < 3",
}
FACTS = ("f0", "f1", "f2")
_VALUES = {"f0": 300, "f1": 60, "f2": 300}
_ROWS, _FILES = 400, 8


def rows(spark: SparkSession, count: int, most: int, seed: int) -> DataFrame:
    """`id`, `v` below `most`, the columns, each NULL now and then, a struct `s` of two of them, `p` of four values."""
    columns = [
        f"if(pmod(xxhash64(id, {seed}, {number}), 9) = 0, NULL, {value}) AS {name}"
        for number, (name, value) in enumerate(COLUMNS.items())
    ]
    made = spark.range(count).selectExpr("id", f"cast(pmod(xxhash64(id, {seed}), {most}) AS int) AS v")
    return made.selectExpr("id", "v", *columns, "v % 4 AS p").selectExpr("*", "struct(l AS x, t AS y) AS s")


def build(spark: SparkSession, folder: Path, table_format: str, seed: int) -> None:
    """Makes the views: tables of files in `folder`, and the small sides `small` and `few`.

    One table is partitioned. Of Delta tables and Iceberg's one has deleted rows, and one a column that came and one
    that went. Those of Iceberg's are in the catalog `files`.
    """
    spark.sql("SET spark.databricks.delta.properties.defaults.enableDeletionVectors = true").collect()
    for number, name in enumerate(FACTS):
        path = str(folder / name)
        made = rows(spark, _ROWS, _VALUES[name], seed + number)
        spread = made.repartitionByRange(_FILES, "v" if number == 0 else "t")
        if table_format == "iceberg":
            _save_in_iceberg(spark, spread, in_iceberg(folder, name), name)
            continue
        written = spread.write.format(table_format)
        (written.partitionBy("p") if name == "f2" else written).save(path)
        if table_format == "delta":
            if name == "f1":
                by_name = "('delta.columnMapping.mode' = 'name')"
                spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES {by_name}").collect()
            _change(spark, f"delta.`{path}`", name, "SMALLINT")
        else:
            spark.sql(f"ANALYZE TABLE parquet.`{path}` COMPUTE FILE STATISTICS").collect()
        spark.read.format(table_format).load(path).createOrReplaceTempView(name)
    rows(spark, 12, 300, seed + 7).localCheckpoint().createOrReplaceTempView("small")
    rows(spark, 3, 60, seed + 8).localCheckpoint().createOrReplaceTempView("few")


def in_iceberg(folder: Path, name: str) -> str:
    """The name of a table of Iceberg's."""
    return f"files.db.{folder.name.replace('-', '_')}_{name}"


def _save_in_iceberg(spark: SparkSession, made: DataFrame, table: str, name: str) -> None:
    writer = made.writeTo(table).using("iceberg")
    properties = {"write.distribution-mode": "none", "write.spark.fanout.enabled": "true"}
    if name == "f0":
        properties |= {f"write.{change}.mode": "merge-on-read" for change in ("delete", "update", "merge")}
    for key, value in properties.items():
        writer = writer.tableProperty(key, value)
    (writer.partitionedBy(col("p")) if name == "f2" else writer).createOrReplace()
    _change(spark, table, name, "INT")
    spark.table(table).createOrReplaceTempView(name)


def _change(spark: SparkSession, table: str, name: str, of_h: str) -> None:
    if name == "f0":
        spark.sql(f"OPTIMIZE {table} ZORDER BY (l, t) OPTIONS (target_file_size = '4k')").collect()
        spark.sql(f"DELETE FROM {table} WHERE id % 7 = 0").collect()
    elif name == "f1":
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN h TO h_before").collect()
        spark.sql(f"ALTER TABLE {table} ADD COLUMN h {of_h}").collect()
        spark.sql(f"UPDATE {table} SET h = cast(v AS {of_h}) WHERE v > 30").collect()
        spark.sql(f"ALTER TABLE {table} DROP COLUMN h_before").collect()
