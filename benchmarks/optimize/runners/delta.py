# SPDX-License-Identifier: Apache-2.0

"""Delta Lake's own OPTIMIZE, without the extension: ZORDER BY, and liquid clustering."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from common.places import DELTA_JARS, jars
from common.spark_settings import delta_settings
from optimize.runners.spark_runner import SparkRunner, builder, copy_delta

if TYPE_CHECKING:
    from collections.abc import Callable

    from optimize.spec import Spec

_FILE_BYTES = "spark.databricks.delta.optimize.maxFileSize"


class DeltaRunner(SparkRunner):
    """OPTIMIZE by Delta itself."""

    def versions(self) -> dict[str, str]:
        """Spark's, and Delta's."""
        version = next(
            Path(j).stem.rsplit("-", 1)[1] for j in jars(DELTA_JARS) if Path(j).name.startswith("delta-spark")
        )
        return super().versions() | {"delta": version}

    def prepare(self, source: Path, target: Path, files: int, file_bytes: int) -> Callable[[], object]:
        """A copy of the table, its clustering columns set if that is the system, and OPTIMIZE."""
        table = copy_delta(source, target)
        columns = ", ".join(self.spec.columns)
        self.spark.conf.set(_FILE_BYTES, str(file_bytes))
        statement = f"OPTIMIZE {table} ZORDER BY ({columns})"
        if self.spec.system == "delta-liquid":
            self.spark.sql(f"ALTER TABLE {table} CLUSTER BY ({columns})")
            statement = f"OPTIMIZE {table} FULL"
        return lambda: self.spark.sql(statement).collect()


def runner(spec: Spec) -> DeltaRunner:
    """Starts Spark with Delta."""
    return DeltaRunner(builder(spec, delta_settings(jars(DELTA_JARS))).getOrCreate(), spec)
