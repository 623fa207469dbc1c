# SPDX-License-Identifier: Apache-2.0

"""Order on write where Spark runs a slow task twice, which it does on another host only: a small cluster of its own."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pyspark
import pytest

from launching import ZORDER, environment, run, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

SLEEP = 120  # seconds
SCRIPT = """
import json, sys, time
from pyspark import TaskContext
from pyspark.sql import SparkSession

folder, conf = sys.argv[1], json.loads(sys.argv[2])
builder = SparkSession.builder
for key, value in conf.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()


def slow(batches):
    task = TaskContext.get()
    for batch in batches:
        if task.partitionId() == 0 and task.attemptNumber() == 0:
            time.sleep({SLEEP})
        yield batch


spark.sql(f"CREATE TABLE t (a INT, b BIGINT) USING parquet LOCATION '{folder}/t' SORT BY LEXICAL (a, b)")
rows = spark.range(0, 8000, 1, 4).selectExpr("CAST(id * 7919 % 1000 AS INT) AS a", "id AS b")
started = time.monotonic()
rows.mapInPandas(slow, "a INT, b BIGINT").write.insertInto("t")
seconds = time.monotonic() - started
found = spark.sql("SELECT count(*), count(DISTINCT b), sum(a) FROM t").head()
expected = rows.selectExpr("count(*)", "count(DISTINCT b)", "sum(a)").head()
print(json.dumps({"same": found == expected, "seconds": seconds}))
spark.stop()
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The URL of a master with two workers of one core, each on an address of its own of this machine."""
    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"spark://127.0.0.1:{port}"

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [str(home / "bin" / "spark-class"), *arguments, "--webui-port", "0"]
        log = (tmp_path / f"{len(list(tmp_path.glob('*.log')))}.log").open("wb")
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment() | {"SPARK_HOME": str(home)}, stdout=log, stderr=log
        )

    deploy = "org.apache.spark.deploy"
    processes = [start(f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port))]
    for host in ("127.0.0.1", "127.0.0.2"):
        processes.append(start(f"{deploy}.worker.Worker", "--host", host, "--cores", "1", "--memory", "1g", url))
    yield url
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait()


def test_a_task_that_runs_twice_leaves_ordered_and_complete_files(tmp_path: Path, cluster: str) -> None:
    conf = settings(tmp_path, [ZORDER], delta=False) | {
        "spark.master": cluster,
        "spark.executor.memory": "700m",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.cores.max": "2",
        "spark.locality.wait": "0s",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }
    script = tmp_path / "write.py"
    script.write_text(SCRIPT.replace("{SLEEP}", str(SLEEP)))
    done = run([sys.executable, str(script), str(tmp_path), json.dumps(conf)], tmp_path)
    assert done.returncode == 0
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert result["same"]
    # The second attempt won: the first one sleeps for longer.
    assert result["seconds"] < SLEEP
    files = sorted((tmp_path / "t").glob("*.parquet"))
    assert len(files) == 4
    for file in files:
        rows = pyarrow.parquet.read_table(file).to_pylist()
        keys = [(row["a"], row["b"]) for row in rows]
        assert keys == sorted(keys), file
