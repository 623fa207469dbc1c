# SPDX-License-Identifier: Apache-2.0

"""A Connect server that the session builder starts, with this package's settings and without."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

import spark_zorder
from launching import INTERPRETED, ZORDER, flags, run, small

if TYPE_CHECKING:
    from pathlib import Path

# What stands before each script: PySpark then takes a free port in place of its fixed one.
BEGIN = """
import json, os, shlex, sys, warnings

os.environ["SPARK_TESTING"] = "1"
os.environ["PYSPARK_SUBMIT_ARGS"] = shlex.join([*json.loads(sys.argv[1]), "pyspark-shell"])
from pyspark.sql import SparkSession
from spark_zorder import ZOrderSessionError, ZOrderTable, _progress, configure_spark_with_zorder, require_extension
"""
WITH_IT = """
class Recorder:
    seen = []
    def show(self, state):
        if state is not None:
            self.seen.append([state.phase, state.files, state.bytes])
    def close(self):
        self.seen.append("closed")

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    spark = configure_spark_with_zorder(SparkSession.builder.remote("local[2]")).getOrCreate()
warned = [str(w.message) for w in caught if "Failed to set" in str(w.message)]
spark.range(0, 20000, 1, 4).selectExpr("id", "id % 7 AS a").write.parquet("t")
_progress.bars_of_this_process = Recorder
row = ZOrderTable.forPath(spark, os.path.abspath("t")).optimize({"force": True}).executeZOrderBy("id", "a").first()
reply = {
    "warned": warned,
    "removed": row.metrics.numFilesRemoved,
    "bytes": row.metrics.filesRemoved.totalSize,
    "seen": Recorder.seen,
    "handlers": len(spark.client._progress_handlers),
    "left": spark.conf.get("spark.sql.zorder.progress.state", "nothing"),
}
print(json.dumps(reply))
"""
WITHOUT_IT = """
spark = SparkSession.builder.remote("local[2]").getOrCreate()
try:
    require_extension(spark, delta=True)
except ZOrderSessionError as error:
    print(json.dumps([error.getCondition(), error.getMessageParameters()["settings"]]))
"""


def reply_of(script: str, folder: Path) -> object:
    conf = small(folder) | INTERPRETED | {"spark.connect.progress.reportInterval": "100ms"}
    done = run([sys.executable, "-c", BEGIN + script, json.dumps(flags(conf))], folder)
    assert done.returncode == 0
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.long
def test_a_local_server_is_asked_for_nothing_that_it_refuses(tmp_path: Path) -> None:
    reply = reply_of(WITH_IT, tmp_path)

    assert isinstance(reply, dict)
    assert reply["warned"] == []
    assert reply["removed"] == 4
    # Bars, from the server's progress messages.
    assert reply["seen"][-1] == "closed"
    phases = [phase for phase, _, _ in reply["seen"][:-1]]
    assert phases == sorted(phases, key=["sampling", "moving", "committing"].index)
    assert [4, reply["bytes"]] in [[files, size] for _, files, size in reply["seen"][:-1]]
    assert (reply["handlers"], reply["left"]) == (0, "nothing")


@pytest.mark.long
def test_a_server_without_the_extension_is_told_what_to_add(tmp_path: Path) -> None:
    condition, settings = reply_of(WITHOUT_IT, tmp_path)

    assert condition == "ZORDER_EXTENSION_NOT_LOADED"
    assert f"--conf spark.jars={spark_zorder.jar_path()}" in settings
    assert f"{ZORDER}" in settings
    assert "delta-spark" in settings
