# SPDX-License-Identifier: Apache-2.0

"""What the container file runs, without a container: an environment with Spark, Delta Lake, the wheel and Jupyter."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# Neither builder nor settings name a jar: all is in Spark's own folders.
SESSION = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.range(100).write.format("delta").saveAsTable("t")
print(spark.sql("OPTIMIZE t ZORDER BY (id)").collect()[0]["summary"] is not None, spark.table("t").count())
"""


def test_a_session_in_it_has_delta_and_the_extension(tmp_path: Path) -> None:
    (wheel,) = (ROOT / "python" / "dist").glob("*.whl")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    subprocess.run([str(ROOT / "docker" / "install"), str(tmp_path / "env"), str(wheel)], check=True, env=environment)
    command = [str(tmp_path / "env" / "bin" / "python"), "-c", SESSION]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert (run.returncode, run.stdout.split()) == (0, ["True", "100"]), run.stderr
    assert (tmp_path / "env" / "bin" / "jupyter").exists()
