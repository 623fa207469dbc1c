# SPDX-License-Identifier: Apache-2.0

"""Builds one data set as Delta tables, with facts to check and to look up.

python build_data.py NAME ROWS SCALE FILES
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.events import events
from common.places import DELTA_JARS, WORK, jars
from common.row_checksum import row_checksum
from common.spark_settings import delta_settings
from common.store_sales import store_sales
from optimize.datasets import source
from optimize.delta_log import live_files
from optimize.lookups import lookup_values
from optimize.runners.spark_runner import builder
from optimize.spec import Spec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from optimize.datasets import Source

# The tables are plain: readable by every system.
_PLAIN = {
    "delta.enableDeletionVectors": "false",
    "delta.enableRowTracking": "false",
    "delta.checkpointPolicy": "classic",
}


def main() -> int:
    """Builds what the arguments say."""
    name, rows, scale, files = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    target = source(name, rows, scale, files)
    spec = Spec("data", "", [], files, 0, "4g", str(WORK / "data"))
    spark = builder(spec, delta_settings(jars(DELTA_JARS))).getOrCreate()
    try:
        if name == "events":
            _build(spark, target, events(spark, rows, files))
        else:
            _build(spark, target, store_sales(spark, scale, files))
    finally:
        spark.stop()
    return 0


def _build(spark: SparkSession, target: Source, table: DataFrame) -> None:
    shutil.rmtree(target.folder, ignore_errors=True)
    _write(table, target.table)
    files = live_files(target.table)
    written = spark.read.parquet(*map(str, files))
    rows, checksum = row_checksum(written, table.columns)
    facts = {
        "rows": rows,
        "bytes": sum(path.stat().st_size for path in files),
        "files": len(files),
        "columns": table.columns,
        "checksum": checksum,
        "lookups": lookup_values(written, target.dataset.clustered),
    }
    target.facts_file.write_text(json.dumps(facts))


def _write(table: DataFrame, path: Path) -> None:
    writer = table.write.format("delta")
    for key, value in _PLAIN.items():
        writer = writer.option(key, value)
    writer.save(str(path))


if __name__ == "__main__":
    sys.exit(main())
