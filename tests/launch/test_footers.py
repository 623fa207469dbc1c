# SPDX-License-Identifier: Apache-2.0

"""`layout` and `files` from footers answer as Spark does, to the last character; a benchmark and the doctor with Spark.

One JVM makes the tables, by Spark and OPTIMIZE; one for each test answers.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
import random
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from launching import COMMANDS, INTERPRETED, flags, run, small
from spark_zorder._cli import main, statements

if TYPE_CHECKING:
    from pathlib import Path

DAY = dt.datetime(2013, 1, 1, tzinfo=dt.timezone.utc)
MAKE = """
import os, shutil, sys
from pyspark.sql import SparkSession
from spark_zorder import configure_spark_with_zorder
folder, conf = sys.argv[1], dict(pair.split("=", 1) for pair in sys.argv[2:])
builder = SparkSession.builder.master("local[2]")
for key, value in conf.items():
    builder.config(key, value)
spark = configure_spark_with_zorder(builder).getOrCreate()
rows = spark.range(4000).selectExpr(
    "id", "id * 7919 % 1000 AS a", "CAST(id AS FLOAT) / 7 AS f", "IF(id % 3 = 0, NULL, id / 7) AS x",
    "IF(id % 100 = 0, double('NaN'), id / 3) AS n", "CAST(id AS STRING) AS s", "CAST(id % 50 AS DECIMAL(9, 2)) AS dec",
    "IF(id % 5 = 0, NULL, timestamp_seconds(id * 1000)) AS ts",
    "date_add(DATE'2013-01-01', CAST(id % 400 AS INT)) AS d",
    "named_struct('u', id % 7, 'v', CAST(id AS SMALLINT)) AS st", "array(id) AS l")
rows.repartition(8).write.parquet(f"{folder}/spark")
rows.selectExpr("*", "id % 2 AS p").repartition(3).write.partitionBy("p").parquet(f"{folder}/parts")
rows.repartitionByRange(8, "id").write.parquet(f"{folder}/optimized")
shutil.copytree(f"{folder}/optimized", f"{folder}/before", copy_function=os.link)
spark.sql(f"OPTIMIZE parquet.`{folder}/optimized` ZORDER BY (a, id) OPTIONS (target_file_size = '20k')").collect()
spark.stop()
"""


def arrow_table(folder: Path) -> None:
    """Files of every type of which bounds are known, as pandas and pyarrow write them."""
    folder.mkdir()
    drawn = random.Random(1)
    for i in range(6):
        v = [drawn.randrange(100_000) for _ in range(200)]
        moments = [DAY + dt.timedelta(seconds=n * 100 + i * 10_000, microseconds=n) for n in v]
        columns: dict[str, Any] = {
            "id": pa.array(range(i * 200, (i + 1) * 200)),
            "tiny": pa.array([n % 100 for n in v], pa.int8()),
            "x": pa.array([n / 7 if n % 10 else None for n in v]),
            "f": pa.array([n / 3 for n in v], pa.float32()),
            "zero": pa.array([float(n % 2) for n in v]),
            "s": pa.array([f"k{n}" for n in v]),
            "dict": pa.array([f"k{n % 9}" for n in v]).dictionary_encode(),
            "bin": pa.array([str(n).encode() for n in v]),
            "d": pa.array([(m + dt.timedelta(days=i * 300)).date() for m in moments]),
            "ts": pa.array(moments, pa.timestamp("us", "UTC")),
            "ntz": pa.array([m.replace(tzinfo=None) for m in moments], pa.timestamp("us")).cast(
                pa.timestamp("ms"), safe=False
            ),
            "dec": pa.array([decimal.Decimal(n) / 100 for n in v], pa.decimal128(12, 4)),
            "big": pa.array([decimal.Decimal(-n) for n in v], pa.decimal128(30, 0)),
            "b": pa.array([n % 2 == 0 for n in v]),
            "empty": pa.nulls(200, pa.int32()),
            "one": pa.array([5] * 200),
            "st": pa.array([{"u": n % 50, "v": {"w": str(n)}} if n % 9 else None for n in v]),
            "l": pa.array([[n] for n in v]),
            "a_column_with_a_name_that_is_so_long_that_a_line_of_a_terminal_has_no_room_for_it": pa.array(v),
        }
        pq.write_table(pa.table(columns), folder / f"part-{i}.parquet", row_group_size=90)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    conf = small(folder) | INTERPRETED
    arrow_table(folder / "arrow")
    done = run([sys.executable, "-c", MAKE, str(folder), *(f"{key}={value}" for key, value in conf.items())], folder)
    assert done.returncode == 0, done.stderr
    return folder


TABLES = ("arrow", "spark", "parts", "optimized")
ASKED = (
    ["layout"],
    ["layout", "--json"],
    ["files", "--json"],
)


@pytest.mark.long
def test_footers_tell_what_spark_tells(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [[words[0], str(tables / name), *words[1:]] for name in TABLES for words in ASKED]
    commands.append(["layout", str(tables / "optimized"), "--on", "id", "--json"])
    commands.append(["files", str(tables / "parts"), "--on", "id,st.u"])
    # Spark would be compared with itself.
    monkeypatch.setattr(statements, "spark_for", lambda *_: pytest.fail("a command asked for Spark"))
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    read = []
    for command in commands:
        assert main(command) == 0
        read.append(capsys.readouterr().out)
    # Any setting asks for Spark.
    by_spark = [[*command, *flags(small(tables) | INTERPRETED)] for command in commands]
    done = run([sys.executable, "-c", COMMANDS, json.dumps(by_spark)], tables)
    for command, text, (code, asked, error) in zip(commands, read, json.loads(done.stdout), strict=True):
        assert (code, error) == (0, ""), command
        assert text == asked, command


@pytest.mark.long
def test_an_open_rewrite_is_left_to_spark(tables: Path) -> None:
    """A file that the log hides is left out: footers alone would count its rows twice."""
    table = tables / "optimized"
    own = flags(small(tables) | INTERPRETED)
    query = f"SELECT * FROM parquet.`{tables / 'spark'}` WHERE id < 500"
    log = table / "_zorder" / "log"
    (closed,) = log.glob("*.closed")
    (entry,) = log.glob("*.json")
    folder = json.loads(entry.read_text())["entry"]["folders"][0]
    # As it is between the verdict and the last deletion: an old file, the very one, is still there.
    closed.unlink()
    old = folder["replaced"][0]["path"]
    os.link(tables / "before" / old, table / old)
    commands = [
        ["files", str(table), "--on", "id", "--json"],
        ["doctor", str(table), "--spark", "--json", *own],
        ["benchmark", str(table), "--query", query, "--runs", "2", "--json", *own],
    ]
    replies = json.loads(run([sys.executable, "-c", COMMANDS, json.dumps(commands)], tables).stdout)
    assert [code for code, _, _ in replies] == [0, 0, 0], replies
    listed = [row["file"] for row in json.loads(replies[0][1])["rows"]]
    assert sorted(listed) == sorted(added["path"] for added in folder["added"])
    checks = [(row["check"], row["status"]) for row in json.loads(replies[1][1])["rows"]]
    assert ("_zorder", "warning") in checks
    assert checks[-2:] == [("Session", "ok")] * 2
    (row,) = json.loads(replies[2][1])["rows"]
    assert (row["files_total"], len(row["runs"])) == (8, 2)
    assert 0 < row["bytes_read"] <= row["bytes_total"]
