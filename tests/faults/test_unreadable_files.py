# SPDX-License-Identifier: Apache-2.0

"""Data files that are missing, cut short, empty or overwritten: the error names the file, and nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import table_folder
from pyspark.errors import QueryExecutionException

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


def truncate(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def overwrite(file: Path) -> None:
    file.write_bytes(b"\0" * file.stat().st_size)


def damage_pages(file: Path) -> None:
    """The footer stays readable, what it points to does not."""
    content = file.read_bytes()
    file.write_bytes(content[:4] + b"\xff" * (len(content) // 2) + content[4 + len(content) // 2 :])


DAMAGES = {
    "missing": lambda file: file.unlink(),
    "truncated": truncate,
    "empty": lambda file: file.write_bytes(b""),
    "overwritten": overwrite,
    "damaged": damage_pages,
}


REASONS = {
    "missing": "does not exist",
    "truncated": "is not a Parquet file",
    "empty": "length is too low: 0",
    "overwritten": "is not a Parquet file",
    "damaged": "",
}


@pytest.fixture(params=[pytest.param(False, marks=pytest.mark.long), True], ids=["", "ignoring"])
def ignoring(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[bool]:
    """Spark's settings that skip such files in queries: a rewrite that did so would lose their rows."""
    keys = ["spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"]
    for key in keys:
        spark.conf.set(key, str(request.param).lower())
    yield request.param
    for key in keys:
        spark.conf.unset(key)


@pytest.mark.usefixtures("ignoring")
@pytest.mark.parametrize("damage", DAMAGES)
def test_the_error_names_the_file(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    table = table_folder.create(spark, tmp_path / "t", 2000, 3)
    victim = sorted(table_folder.data_on_disk(table))[1]
    # Without the checksums that only the local file system has, which would notice first.
    for checksum in table.rglob(".*.crc"):
        checksum.unlink()
    DAMAGES[damage](victim)
    before = table_folder.data_on_disk(table), table_folder.versions(table)

    with pytest.raises(QueryExecutionException) as error:
        spark.sql(f"OPTIMIZE delta.`{table}` ZORDER BY (a, b)").collect()

    assert error.value.getCondition() == "ZORDER_UNREADABLE_FILE"
    assert error.value.getSqlState() == "KD001"
    parameters = error.value.getMessageParameters() or {}
    assert parameters["file"].endswith(str(victim.relative_to(table)))
    assert REASONS[damage] in parameters["reason"]
    assert "RESTORE" in str(error.value)
    assert (table_folder.data_on_disk(table), table_folder.versions(table)) == before


def test_a_deletion_vector_that_is_missing(spark: SparkSession, tmp_path: Path) -> None:
    table = table_folder.create(spark, tmp_path / "t", 2000, 3, vectors=True)
    (vector,) = [file for file in table_folder.data_on_disk(table) if file.suffix == ".bin"]
    vector.unlink()
    before = table_folder.data_on_disk(table), table_folder.versions(table)

    with pytest.raises(QueryExecutionException) as error:
        spark.sql(f"OPTIMIZE delta.`{table}` ZORDER BY (a, b)").collect()

    assert error.value.getCondition() == "ZORDER_UNREADABLE_FILE"
    assert vector.name in (error.value.getMessageParameters() or {})["reason"]
    assert (table_folder.data_on_disk(table), table_folder.versions(table)) == before
