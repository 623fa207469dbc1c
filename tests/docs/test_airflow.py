# SPDX-License-Identifier: Apache-2.0

"""The DAG of docs/airflow.md, run by the real Airflow (`make .build/airflow/complete`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from launching import ROOT, environment, small

PAGE = ROOT / "docs" / "airflow.md"
DAGS = ROOT / "tests" / "docs" / "airflow_dags"
AIRFLOW = ROOT / ".build" / "airflow" / "bin" / "airflow"

TABLES = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").getOrCreate()
data = spark.range(5000).selectExpr("id AS event", "CAST(pmod(xxhash64(id), 100) AS INT) AS user",
    "CAST(id % 50 AS INT) AS place", "DATE'2026-01-01' + CAST(id % 31 AS INT) AS day")
for name in ("events", "trips"):
    data.repartition(4).write.parquet(f"{sys.argv[1]}/{name}")
"""


def test_the_page_shows_the_dag_that_runs() -> None:
    (block, *_) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (dag,) = DAGS.glob("*.py")
    assert dag.read_text().split("\n\n", 1)[1] == block


@pytest.mark.nightly
def test_a_night(tmp_path: Path) -> None:
    assert AIRFLOW.exists(), "run `make .build/airflow/complete`"
    lake = tmp_path / "lake"
    conf = {k: v for k, v in small(tmp_path).items() if k not in ("spark.master", "spark.driver.memory")}
    defaults = tmp_path / "conf"
    defaults.mkdir()
    (defaults / "spark-defaults.conf").write_text(
        "".join(f"{key} {value}\n" for key, value in conf.items())
        # A size that is asked for: by default such small tables are left as they are.
        + "spark.master local[2]\nspark.sql.zorder.targetFileSize 256m\n"
    )
    env = environment() | {"SPARK_CONF_DIR": str(defaults)}
    subprocess.run([sys.executable, "-c", TABLES, str(lake)], env=env, cwd=tmp_path, check=True, capture_output=True)
    env |= {
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "ZORDER_BIN": str(Path(sys.executable).parent),
        "LAKE": str(lake),
    }

    def airflow(*words: str) -> str:
        done = subprocess.run(
            [str(AIRFLOW), *words], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout + done.stderr

    airflow("db", "migrate")
    printed = airflow("dags", "test", "zorder_nightly", "2026-01-02")

    assert "state=success" in printed or "DagRun Finished" in printed, printed[-4000:]
    for name in ("events", "trips"):
        # The rewrite's log, and one file in place of four.
        assert list((lake / name / "_zorder" / "log").iterdir())
        assert len(list((lake / name).glob("*.parquet"))) == 1
