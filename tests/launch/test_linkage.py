# SPDX-License-Identifier: Apache-2.0

"""The jar links with the Spark that is installed and with Delta Lake: no call can end in a NoSuchMethodError."""

from __future__ import annotations

from pathlib import Path

import pyspark
from linkage import faults

import spark_zorder
from launching import delta_jars

SPARK = sorted((Path(pyspark.__file__).parent / "jars").glob("*.jar"))


def test_every_class_links_with_spark_and_delta() -> None:
    assert faults([Path(spark_zorder.jar_path())], [*SPARK, *map(Path, delta_jars())]) == []


def test_what_is_missing_is_found() -> None:
    """Without Spark's SQL jar next to nothing of ours can be linked."""
    found = faults([Path(spark_zorder.jar_path())], [jar for jar in SPARK if not jar.name.startswith("spark-sql_")])

    assert any("no class org/apache/spark/sql/execution/datasources/FileFormatWriter" in line for line in found)
