# SPDX-License-Identifier: Apache-2.0

"""A session whose tables are in an object store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from launching import INTERPRETED, PATIENT_COMPILER, delta_jars, small
from spark_zorder import configure_spark_with_zorder

if TYPE_CHECKING:
    from pathlib import Path

    from store import ObjectStore


def session_on(store: ObjectStore, folder: Path) -> SparkSession:
    """Without the local file system of other tests' sessions: what a client buffers goes through Hadoop's own."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    jars = [*delta_jars(), *store.jars()]
    conf = small(folder, PATIENT_COMPILER) | INTERPRETED | store.conf()
    # A client is what Hadoop's configuration loads by name: it has to be on the class path itself.
    conf |= {"spark.jars": ",".join(jars), "spark.driver.extraClassPath": os.pathsep.join(jars)}
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    return configure_spark_with_zorder(builder, delta=True).getOrCreate()
