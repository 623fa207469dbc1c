# SPDX-License-Identifier: Apache-2.0

"""A file of 1 GiB of wide rows is written in a driver of 1 GiB."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

from launching import ZORDER, answers, settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

# Values of 3 MB: more of them than are looked at before the first check of sizes would not fit.
ROWS = 360


def test_large_rows_in_a_small_driver(tmp_path: Path) -> None:
    conf = settings(tmp_path, [ZORDER], delta=False) | {
        "spark.driver.memory": "1g",
        "spark.sql.zorder.write.encoder": "true",
        "spark.sql.parquet.compression.codec": "uncompressed",
    }
    value = "concat(id, repeat(chr(97 + CAST(id % 26 AS INT)), 3000000))"

    *_, counted = answers(
        tmp_path,
        conf,
        [
            (f"CREATE TABLE t USING parquet AS SELECT id, {value} AS text FROM range(0, {ROWS}, 1, 1)", None),
            ("SELECT count(*), sum(id) FROM t", None),
        ],
    )

    assert counted == [[ROWS, ROWS * (ROWS - 1) // 2]]
    (path,) = (tmp_path / "warehouse" / "t").glob("part-*.parquet")
    assert path.stat().st_size > 1 << 30
    # Spark's reader takes many rows at once, more than the driver holds.
    file = pyarrow.parquet.ParquetFile(path)
    groups = [file.read_row_group(i, ["text"])["text"] for i in range(file.num_row_groups)]
    texts = (text.as_py() for group in groups for text in group)
    assert all(text == f"{i}{chr(97 + i % 26) * 3000000}" for i, text in enumerate(texts))
