# SPDX-License-Identifier: Apache-2.0

"""A measured process: lookups on the tables of one Spark, with Delta and the extension or with Iceberg; or planning.

python skipping_worker.py zorder|iceberg|planning SPEC RESULT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.sessions import CATALOG, iceberg_session, zorder_session
from skipping.data import build, drawn, tables
from skipping.measure import Table, measure
from skipping.planning import ENABLED, planning
from skipping.queries import Lookup, lookups

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from skipping.data import Tables


def main() -> int:
    """Runs what the specification says."""
    system, spec, result = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    work = Path(spec["work"]) / system
    spark = (iceberg_session if system == "iceberg" else zorder_session)(work, spec["memory"])
    if system == "planning":
        found = planning(spark, work / "many", spec["planned_files"], spec["planning_rounds"])
    else:
        found = (_zorder if system == "zorder" else _iceberg)(spark, spec)
    result.write_text(json.dumps(found, indent=1))
    spark.stop()
    return 0


def _zorder(spark: SparkSession, spec: dict[str, Any]) -> dict[str, Any]:
    target = tables(spec["rows"], spec["files"])
    build(spark, target, spec["rows"], spec["files"])
    asked = lookups(drawn(spark, target, spec["values"]))
    systems = _tables(spark, target)
    return {"lookups": asked, "runs": measure(spark, systems, asked, spec["rounds"])}


def _tables(spark: SparkSession, target: Tables) -> dict[str, Table]:
    spark.sql("CREATE DATABASE IF NOT EXISTS skips")
    for name in ("arrived", "ordered"):
        spark.sql(f"CREATE TABLE skips.{name} USING parquet LOCATION '{target.folder / name}'")
    spark.sql(f"CREATE TABLE skips.delta USING delta LOCATION '{target.delta}'")
    files = {name: len(spark.table(f"skips.{name}").inputFiles()) for name in ("arrived", "ordered", "delta")}
    return {
        "Parquet as it arrived": Table("skips.arrived", files["arrived"], {}),
        "Parquet z-ordered, no skipping": Table("skips.ordered", files["ordered"], {ENABLED: "false"}),
        "Parquet z-ordered, index": Table("skips.ordered", files["ordered"], {ENABLED: "true"}),
        "Delta z-ordered": Table("skips.delta", files["delta"], {}),
    }


def _iceberg(spark: SparkSession, spec: dict[str, Any]) -> dict[str, Any]:
    ordered = tables(spec["rows"], spec["files"]).ordered
    name = f"{CATALOG}.skips.ordered"
    schema = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in spark.read.parquet(str(ordered)).schema.fields)
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(f"CREATE TABLE {name} ({schema}) USING iceberg")
    # The very files, of which it reads the footers.
    spark.sql(f"CALL {CATALOG}.system.add_files(table => '{name}', source_table => '`parquet`.`{ordered}`')").collect()
    files = spark.sql(f"SELECT count(*) FROM {name}.files").collect()[0][0]
    asked = [Lookup(*pair) for pair in spec["lookups"]]
    return {"runs": measure(spark, {"Iceberg, the same files": Table(name, files, {})}, asked, spec["rounds"])}


if __name__ == "__main__":
    sys.exit(main())
