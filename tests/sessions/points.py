# SPDX-License-Identifier: Apache-2.0

"""The table that most tests cluster: points of a 64 x 64 grid, in random order over 16 files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 64 * 64
FILES = 16

_GRID = """
SELECT CAST(id DIV 64 AS INT) AS x, CAST(id % 64 AS INT) AS y, id,
  IF(id % 97 = 0, NULL, concat('é', id % 50)) AS name, id % 2 = 0 AS even
FROM range(4096)
"""


def create_points(spark: SparkSession, name: str, partitioned_by: str = "", properties: str = "") -> str:
    """Recreates the table and returns its name."""
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    columns = "x INT, y INT, id BIGINT, name STRING, even BOOLEAN"
    partitioning = f"PARTITIONED BY ({partitioned_by})" if partitioned_by else ""
    with_properties = f"TBLPROPERTIES ({properties})" if properties else ""
    spark.sql(f"CREATE TABLE {name} ({columns}) USING delta {partitioning} {with_properties}")
    spark.sql(f"INSERT INTO {name} SELECT /*+ REPARTITION({FILES}, id) */ * FROM ({_GRID})").collect()
    return name


def bytes_per_file(spark: SparkSession, name: str, files: int = FILES) -> int:
    """The target size that gives about this many files."""
    return spark.sql(f"DESCRIBE DETAIL {name}").collect()[0]["sizeInBytes"] // files
