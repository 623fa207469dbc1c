# SPDX-License-Identifier: Apache-2.0

"""Order on write in Parquet tables of a Hive metastore: by Spark's own writer, and by Hive's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest

from launching import ZORDER, answers, settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

ROWS = (
    "SELECT CAST(id * 7919 % 1000 AS INT), CAST(id * 31 % 997 AS DOUBLE), concat('p', id % 3) FROM range(0, {n}, 1, 3)"
)
PROPERTIES = "TBLPROPERTIES ('sort.columns' = 'a,b')"
WRITERS = {"spark": "true", "hive": "false"}
SUM = "SELECT count(*), sum(a), CAST(sum(b) AS BIGINT), count(DISTINCT p) FROM {table}"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The warehouse, and the sums of every table beside those of its rows."""
    folder = tmp_path_factory.mktemp("hive-order")
    conf = settings(folder, [ZORDER], delta=False) | {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:order;create=true",
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
    }
    statements = []
    for writer, converts in WRITERS.items():
        flat, parts = f"flat_{writer}", f"parts_{writer}"
        statements += [
            f"SET spark.sql.hive.convertMetastoreParquet = {converts}",
            f"CREATE TABLE {flat} (a INT, b DOUBLE, p STRING) STORED AS PARQUET {PROPERTIES}",
            f"INSERT INTO {flat} {ROWS.format(n=3000)}",
            f"INSERT INTO {flat} {ROWS.format(n=500)}",
            f"CREATE TABLE {parts} (a INT, b DOUBLE) PARTITIONED BY (p STRING) STORED AS PARQUET {PROPERTIES}",
            f"INSERT INTO {parts} {ROWS.format(n=3000)}",
            f"INSERT OVERWRITE {parts} PARTITION (p = 'p1') SELECT a, b FROM {flat} WHERE p = 'p2'",
        ]
    asked = {
        f"{kind}_{writer}": SUM.format(table=f"{kind}_{writer}") for kind in ("flat", "parts") for writer in WRITERS
    }
    replies = answers(folder, conf, [(s, None) for s in [*statements, *asked.values()]])
    for statement, reply in zip([*statements, *asked.values()], replies, strict=True):
        assert not (isinstance(reply, dict) and "condition" in reply), f"{statement}: {reply}"
    return folder / "warehouse", dict(zip(asked, replies[len(statements) :], strict=True))


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", ["flat", "parts"])
def test_every_file_is_in_order(written: tuple[Path, dict[str, Any]], kind: str, writer: str) -> None:
    warehouse, _ = written
    files = [f for f in (warehouse / f"{kind}_{writer}").rglob("*") if f.is_file() and f.name[0] not in "._"]
    assert len(files) > 2
    for file in files:
        rows = pyarrow.parquet.ParquetFile(file).read(["a", "b"]).to_pylist()
        keys = [(row["a"], row["b"]) for row in rows]
        assert len(keys) > 10
        assert keys == sorted(keys), file


@pytest.mark.parametrize("kind", ["flat", "parts"])
def test_both_writers_write_the_same_rows(written: tuple[Path, dict[str, Any]], kind: str) -> None:
    _, sums = written
    assert sums[f"{kind}_spark"] == sums[f"{kind}_hive"]
    assert sums["flat_spark"][0][0] == 3500
