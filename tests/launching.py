# SPDX-License-Identifier: Apache-2.0

"""Spark as users start it: the installed wheel with its jar, Delta's jars, and settings on a command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

import spark_zorder
from spark_zorder._jars import minor_of
from spark_zorder._versions import versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent

ZORDER = "io.sparkzorder.ZOrderSparkSessionExtension"
DELTA = "io.delta.sql.DeltaSparkSessionExtension"
# Interpreted, a statement that is run once on small data takes less than the compiling of its code.
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
# Made by the Makefile, with tests/archive_classes.py.
CLASSES = ROOT / ".build" / "classes.jsa"
# As for the Scala suites; made by the Makefile, from two classes.
QUICK_JAR = ROOT / ".build" / "quick-driver.jar"
QUICK_DRIVER = {
    "spark.plugins": "io.sparkzorder.QuickDriver",
    "spark.hadoop.fs.file.impl": "io.sparkzorder.QuickLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "io.sparkzorder.QuickLocalFileSystem$Context",
}
# Beside it, where all files are local: the configuration without Hadoop's defaults, which each query copies.
FEW_HADOOP_SETTINGS = {"spark.plugins": "io.sparkzorder.QuickDriver,io.sparkzorder.FewHadoopSettings"}
# Most code of a test runs a few times: the optimizing compiler takes more of two cores than it gives back.
QUICK_COMPILER = "-XX:TieredStopAtLevel=1"
# In a driver that runs for minutes the optimizing compiler gives back what it takes, if it waits for code that is run
# eight times as often as it would by itself.
PATIENT_COMPILER = (
    "-XX:Tier4InvocationThreshold=40000 -XX:Tier4MinInvocationThreshold=5000 -XX:Tier4CompileThreshold=100000 "
    "-XX:Tier4BackEdgeThreshold=300000"
)
# Several commands of `spark-zorder` in one JVM: the exit code of each, and what it wrote.
COMMANDS = """
import contextlib, io, json, sys
from spark_zorder._cli import main

replies = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(words)
    replies.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(replies))
"""
RESTART = "RESTART"
FILES_READ_BY = "files read by "
DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def delta_jars() -> list[str]:
    """Delta's jars for the PySpark that runs the tests, which the build of our jar has copied."""
    minor = minor_of(pyspark.__version__)
    folder = ROOT / ".build" / ("" if minor == versions()["spark.minor"] else f"spark-{minor}") / "delta-jars"
    jars = sorted(str(jar) for jar in folder.glob("*.jar"))
    assert jars, f"no Delta jars in {folder}: run `make .build/delta` or `make jars`"
    return jars


def settings(folder: Path, extensions: Sequence[str], *, delta: bool = True) -> dict[str, str]:
    """Settings for a new JVM, all of whose files are in the folder."""
    jars = [spark_zorder.jar_path(), *(delta_jars() if delta else [])]
    catalog = {"spark.sql.catalog.spark_catalog": DELTA_CATALOG} if delta else {}
    return {"spark.jars": ",".join(jars), "spark.sql.extensions": ",".join(extensions), **catalog, **small(folder)}


def with_shared_classes(conf: Mapping[str, str]) -> dict[str, str]:
    """The settings for a JVM with Delta, which starts with less CPU, since another has loaded the same classes before.

    Delta's jars are then on the class path itself, and so is a file system that starts no process for each file.
    Unchanged with another PySpark than the one that the archive is of.
    """
    if not CLASSES.exists() or ROOT / ".venv" not in Path(pyspark.__file__).parents:
        return dict(conf)
    return sharing(conf, f"-XX:SharedArchiveFile={CLASSES}")


def sharing(conf: Mapping[str, str], option: str) -> dict[str, str]:
    """The settings for a JVM that reads or writes an archive of classes, as the option says: of the class path only."""
    # Most of what a test makes is dead when it ends: a large young generation leaves little to copy.
    options = f"{conf.get('spark.driver.extraJavaOptions', '')} -Xmn400m {option} -Xlog:cds=off -Xlog:cds+dynamic=off"
    classes = {"spark.driver.extraClassPath": os.pathsep.join([*delta_jars(), str(QUICK_JAR)])}
    return {**conf, **classes, **QUICK_DRIVER, "spark.driver.extraJavaOptions": options.strip()}


def small(folder: Path, compiler: str = QUICK_COMPILER) -> dict[str, str]:
    """Settings that make small data fast and keep files in the folder; `compiler` holds options of the JVM."""
    return {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} {compiler} "
        "-XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
        # The text of each query's plan, for the UI; the default writes every operator's details.
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def flags(conf: Mapping[str, str]) -> list[str]:
    """The settings for a command line; jars and master as their own options, as in Spark's documentation."""
    own = {"spark.jars": "--jars", "spark.master": "--master"}
    return [word for k, v in conf.items() for word in ((own[k], v) if k in own else ("--conf", f"{k}={v}"))]


def environment() -> dict[str, str]:
    """This process's environment without its settings of Spark, for one that starts Spark again."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    own |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    own["PATH"] = f"{BIN}{os.pathsep}{own['PATH']}"
    return own


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in the folder; its standard error is shown if it fails."""
    done = subprocess.run(
        command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-4000:], sep="\n")
    return done


def answers(folder: Path, conf: Mapping[str, str], questions: Sequence[tuple[str, Any]]) -> list[Any]:
    """Runs statements in a Python process and session of their own.

    Args:
        folder: where files of that session go.
        conf: the session's settings.
        questions: statements, each with its parameters (a dict, a list or None). A query behind `FILES_READ_BY` is
            answered with one row: how many files its only scan has read. `RESTART` stops the session and opens another
            in the same process.

    Returns:
        For each statement its rows as lists, or a dict with condition, state and message of its error.
    """
    request = folder / "request.json"
    reply = folder / "reply.json"
    request.write_text(json.dumps({"conf": dict(conf), "questions": questions}))
    done = run([sys.executable, str(Path(__file__).with_name("answering.py")), str(request), str(reply)], folder)
    assert done.returncode == 0
    return json.loads(reply.read_text())
