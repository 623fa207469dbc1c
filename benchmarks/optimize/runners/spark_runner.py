# SPDX-License-Identifier: Apache-2.0

"""What all systems on Spark share: a session, the copy of a Delta table."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

from common.spark_settings import settings
from optimize import delta_log

if TYPE_CHECKING:
    from optimize.spec import Spec


def builder(spec: Spec, more: dict[str, str]) -> SparkSession.Builder:
    """A builder of a session on all cores with the settings and more of them."""
    work = Path(spec.work)
    (work / "events").mkdir(parents=True, exist_ok=True)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    made = SparkSession.builder.master("local[*]").appName(f"benchmark {spec.system}")
    for key, value in (settings(work, spec.memory) | more).items():
        made.config(key, value)
    return made


def copy_delta(source: Path, target: Path) -> str:
    """Copies a Delta table; returns its name in SQL."""
    shutil.copytree(source, target)
    return f"delta.`{target}`"


class SparkRunner:
    """A session, and what does not depend on the statement."""

    calibrates = False

    def __init__(self, spark: SparkSession, spec: Spec) -> None:
        """Takes a session, which `close` ends."""
        self.spark = spark
        self.spec = spec

    def versions(self) -> dict[str, str]:
        """Spark's version and that of the Java it runs on."""
        java = self.spark.sparkContext._jvm.System.getProperty("java.version")  # type: ignore[union-attr]
        return {"spark": pyspark.__version__, "java": java}

    def live_files(self, target: Path) -> list[Path]:
        """The live files of a Delta table."""
        return delta_log.live_files(target)

    def collect_garbage(self) -> None:
        """Has the JVM free its heap, so that the peak is the statement's."""
        self.spark.sparkContext._jvm.System.gc()  # type: ignore[union-attr]

    def close(self) -> None:
        """Ends the session, which completes the event log."""
        self.spark.stop()
