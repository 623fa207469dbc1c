# SPDX-License-Identifier: Apache-2.0

"""What the demo's flag `--compare-encoder` shows: Spark's own writer would have made the same files, byte for byte."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENCODER = "spark.sql.zorder.optimize.encoder"


def optimize_without_encoder(spark: SparkSession, statement: str) -> None:
    """Runs an OPTIMIZE whose files Spark's own Parquet writer makes."""
    spark.conf.set(ENCODER, "false")
    try:
        spark.sql(statement).collect()
    finally:
        spark.conf.unset(ENCODER)


def print_encoder(spark: SparkSession, by_encoder: str, by_spark: str) -> int:
    """Compares the data files of two tables by their bytes, whatever their names, and prints the result.

    Returns:
        0, or 1 if a file of one table is not in the other.
    """
    ours, theirs = _contents(spark, by_encoder), _contents(spark, by_spark)
    same = (ours & theirs).total()
    print(f"\nFiles of the encoder that Spark's own writer makes byte for byte: {same} of {ours.total()}")
    return 0 if ours == theirs else 1


def _contents(spark: SparkSession, table: str) -> Counter[str]:
    """The files of a table by what they hold."""
    paths = (Path(unquote(urlparse(file).path)) for file in spark.table(table).inputFiles())
    return Counter(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
