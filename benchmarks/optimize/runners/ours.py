# SPDX-License-Identifier: Apache-2.0

"""spark-zorder on Delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

import spark_zorder
from common.places import DELTA_JARS, jars
from common.spark_settings import delta_settings
from optimize.runners.spark_runner import SparkRunner, builder, copy_delta

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from optimize.spec import Spec


class OursRunner(SparkRunner):
    """OPTIMIZE with the extension, along the curve that the system's name ends with."""

    def versions(self) -> dict[str, str]:
        """Spark's, and the extension's."""
        return super().versions() | {"spark-zorder": spark_zorder.__version__}

    def prepare(self, source: Path, target: Path, files: int, file_bytes: int) -> Callable[[], object]:
        """A copy of the table, and OPTIMIZE."""
        curve = self.spec.system.removeprefix("ours-")
        columns = ", ".join(self.spec.columns)
        options = f"target_file_size = '{file_bytes}', curve = '{curve}'"
        statement = f"OPTIMIZE {copy_delta(source, target)} ZORDER BY ({columns}) OPTIONS ({options})"
        return lambda: self.spark.sql(statement).collect()


def runner(spec: Spec) -> OursRunner:
    """Starts Spark with Delta and the extension."""
    made = builder(spec, delta_settings(jars(DELTA_JARS)))
    return OursRunner(spark_zorder.configure_spark_with_zorder(made, delta=True).getOrCreate(), spec)
