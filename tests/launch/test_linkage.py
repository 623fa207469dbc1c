# SPDX-License-Identifier: Apache-2.0

"""The jar links with the Spark that is installed and with Delta Lake: no call can end in a NoSuchMethodError."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from class_files import ClassPath
from linkage import faults

import spark_zorder
from launching import delta_jars

pytestmark = pytest.mark.linkage

SPARK = sorted((Path(pyspark.__file__).parent / "jars").glob("*.jar"))


def test_every_class_links_with_spark_and_delta() -> None:
    # Iceberg's runtime is not here; the suites of that room run with it.
    found = faults(
        [Path(spark_zorder.jar_path())],
        [*SPARK, *map(Path, delta_jars())],
        checked=lambda name: not name.startswith("io/sparkzorder/format/iceberg/"),
    )

    assert found == []


def test_what_warns_on_a_spark_of_another_scala_needs_none_of_scala() -> None:
    """Spark 3.5 of PyPI has Scala 2.12, so that nothing of our Scala can be needed for the warning."""
    found = ClassPath([Path(spark_zorder.jar_path())]).find("io/sparkzorder/compat/UnlinkedSpark")

    assert found is not None
    assert [name for name in found.classes if not name.startswith(("java/", "org/slf4j/", found.name))] == []


def test_what_is_missing_is_found() -> None:
    """Without Spark's SQL jar next to nothing of ours can be linked."""
    found = faults([Path(spark_zorder.jar_path())], [jar for jar in SPARK if not jar.name.startswith("spark-sql_")])

    assert any("no class org/apache/spark/sql/execution/datasources/FileFormatWriter" in line for line in found)
