# SPDX-License-Identifier: Apache-2.0

"""The disk gets full while OPTIMIZE writes: it fails and says so, the table is as before, and later it works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import table_folder
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from small_disk import fill, small_disk

if TYPE_CHECKING:
    from pathlib import Path

    from plain_delta import PlainDelta
    from pyspark.sql import SparkSession

STATEMENT = "OPTIMIZE delta.`{}` ZORDER BY (a, b) OPTIONS (target_file_size = '100k')"


# In the midst of the first files, of the later ones, and when all but the commit has been written.
@pytest.mark.long
@pytest.mark.parametrize("share_left", [0.05, 0.7])
def test_no_space_left(spark: SparkSession, plain: PlainDelta, tmp_path: Path, share_left: float) -> None:
    with small_disk(tmp_path, 24) as disk:
        table = table_folder.create(spark, disk / "t", 60_000, 3)
        before = plain.see(table)
        size = sum(file.stat().st_size for file in before.files)
        other = fill(disk, leave=int(size * share_left))

        with pytest.raises((PySparkException, Py4JJavaError)) as error:
            spark.sql(STATEMENT.format(table)).collect()

        assert "No space left on device" in str(error.value)
        assert plain.see(table) == before
        other.unlink()
        spark.sql(STATEMENT.format(table)).collect()
        after = plain.see(table)
        assert after.rows == before.rows
        assert after.version == before.version + 1
        table_folder.vacuum(spark, table)
        assert table_folder.data_on_disk(table) == plain.see(table).files
