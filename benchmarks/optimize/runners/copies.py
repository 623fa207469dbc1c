# SPDX-License-Identifier: Apache-2.0

"""The physical targets: the same rows read from the Delta table and written as plain Parquet, with no transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import spark_zorder
from common.places import DELTA_JARS, jars
from common.spark_settings import delta_settings
from optimize.runners.spark_runner import SparkRunner, builder, copy_delta

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame

    from optimize.spec import Spec

_READ_BYTES = "spark.sql.files.maxPartitionBytes"


class CopyRunner(SparkRunner):
    """Read and write: as it is, by Spark's writer or our encoder; after `repartition(n)` or `repartitionByRange`."""

    def prepare(self, source: Path, target: Path, files: int, file_bytes: int) -> Callable[[], object]:
        """A copy of the table, and its rewriting."""
        copy_delta(source, target / "source")
        # A plain copy then writes a file for each that it reads, as many as the other systems are asked for.
        largest = max(path.stat().st_size for path in super().live_files(source))
        self.spark.conf.set(_READ_BYTES, str(largest if self.spec.system.startswith("copy") else 128 << 20))
        return lambda: self._moved(target / "source", files).write.parquet(str(target / "out"))

    def live_files(self, target: Path) -> list[Path]:
        """Everything that was written."""
        return sorted((target / "out").glob("*.parquet"))

    def _moved(self, table: Path, files: int) -> DataFrame:
        rows = self.spark.read.format("delta").load(str(table))
        if self.spec.system == "repartition":
            return rows.repartition(files)
        if self.spec.system == "range-partition":
            return rows.repartitionByRange(files, self.spec.columns[0])
        return rows


def runner(spec: Spec) -> CopyRunner:
    """Starts Spark with Delta, and with the extension where its encoder writes."""
    made = builder(spec, delta_settings(jars(DELTA_JARS)))
    if spec.system == "copy-encoder":
        made = spark_zorder.configure_spark_with_zorder(made, delta=True)
        made.config("spark.sql.zorder.write.encoder", "true")
    return CopyRunner(made.getOrCreate(), spec)
