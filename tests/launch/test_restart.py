# SPDX-License-Identifier: Apache-2.0

"""A session is stopped and another opened in the same process, as notebooks do: what is kept in memory still serves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from launching import DELTA, FILES_READ_BY, RESTART, ZORDER, answers, settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "table_format", [pytest.param("parquet", marks=pytest.mark.daily), pytest.param("delta", marks=pytest.mark.long)]
)
def test_another_session_of_the_process_skips_and_finds_nothing_to_do(tmp_path: Path, table_format: str) -> None:
    table = f"{table_format}.`{tmp_path / 't'}`"
    columns = "SELECT id AS a, hash(id) AS b FROM range(0, 100000, 1, 8)"
    optimize = f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (target_file_size = '64k', mode = 'incremental')"
    by = {column: f"{FILES_READ_BY}SELECT count(*) FROM {table} WHERE {column} = 5" for column in "ab"}
    conf = settings(tmp_path, [DELTA, ZORDER])
    # As with spark-submit: the classes stay when the session goes.
    conf |= {"spark.driver.extraClassPath": conf["spark.jars"].replace(",", os.pathsep)}
    conf |= {"spark.sql.adaptive.enabled": "false"}

    replies = answers(
        tmp_path,
        conf,
        [
            (f"CREATE TABLE t USING {table_format} LOCATION '{tmp_path / 't'}' AS {columns}", None),
            (optimize, None),
            # Of the other column nothing is in memory yet.
            (by["a"], None),
            (RESTART, None),
            (by["a"], None),
            (by["b"], None),
            (optimize, None),
        ],
    )

    assert [[4]] == replies[2] == replies[4]
    assert replies[5] == [[4]]
    assert replies[6][0][3].startswith("Nothing to do"), replies[6][0][3]
