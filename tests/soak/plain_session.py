# SPDX-License-Identifier: Apache-2.0

"""A session of this process, with the extension or with Delta alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from launching import DELTA, ZORDER, settings, with_shared_classes

if TYPE_CHECKING:
    from pathlib import Path


COLUMNS = "id BIGINT, v INT, a INT, b BIGINT, c STRING, w INT"


def session(folder: Path, *, extension: bool) -> SparkSession:
    folder.mkdir(exist_ok=True)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder
    for key, value in with_shared_classes(settings(folder, [DELTA, ZORDER] if extension else [DELTA])).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
