# SPDX-License-Identifier: Apache-2.0

"""The measured process: queries, star joins, MERGE, first rows, and planning, on three layouts in one session.

python tpcds_worker.py zorder SPEC RESULT
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.places import DATA
from common.processes import Stopwatch
from common.sessions import zorder_session
from common.tpcds import queries
from tpcds import firsts, merges, planning, stars, texts
from tpcds.layouts import build

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


def main() -> int:
    """Runs what the specification says; writes what it has after each query, too."""
    spec, result = json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    spark = zorder_session(Path(spec["work"]) / "session", spec["memory"])
    # Of two or four cores; the defaults of Spark and Delta, 200 and 50, are for a cluster.
    tasks = str(2 * spark.sparkContext.defaultParallelism)
    for setting in ("spark.sql.shuffle.partitions", "spark.databricks.delta.snapshotPartitions"):
        spark.conf.set(setting, tasks)
    # Scans are found by their folders.
    spark.conf.set("spark.sql.maxMetadataStringLength", "10000")
    folder = DATA / f"tpcds-{spec['scale']:g}-tables-{spec['files']}"
    found: dict[str, Any] = {"built": [one._asdict() for one in build(spark, folder, spec["scale"], spec["files"])]}
    found |= {"merges": [], "queries": {}, "planning": {}}
    watch = Stopwatch()
    found["stars"] = stars.measured(spark, stars.STARS, spec["limit"])
    found["firsts"] = firsts.measured(spark, spec["rounds"])
    _keep(found, result)
    if spec["many"]:
        found["merges"] = merges.measured(
            spark,
            merges.sources(spec["few"], spec["many"], spec["keys_of"] or list(merges.ROWS)),
            vectors=spec["deletion_vectors"],
        )
        _keep(found, result)
    texts_of = queries()
    asked = {name: texts_of[name] for name in spec["queries"] or texts_of}
    end = time.monotonic() + 60 * spec["minutes"]
    for name, one in texts.measured(spark, asked, spec["rounds"], spec["limit"], end):
        found["queries"][name] = one
        print(name, json.dumps(one), flush=True)
        _keep(found, result)
    found["planning"] = _planning(spark, asked, found["queries"], spec["planning_rounds"])
    measure = watch.stop()
    found["others_share"] = measure.others_cpu_seconds / measure.wall_seconds / spark.sparkContext.defaultParallelism
    result.write_text(json.dumps(found, indent=1))
    spark.stop()
    return 0


def _keep(found: Mapping[str, Any], result: Path) -> None:
    """Of a run that is cut short the result is what is kept here."""
    result.with_suffix(".part").write_text(json.dumps(found))


def _planning(
    spark: SparkSession, asked: Mapping[str, str], found: Mapping[str, Any], rounds: int
) -> dict[str, dict[str, float]]:
    ran = {name: one["systems"].values() for name, one in found.items() if "systems" in one}
    nothing = [name for name, of in ran.items() if not any(system["pruned"] for system in of)]
    return planning.measured(spark, {name: asked[name] for name in nothing}, rounds)


if __name__ == "__main__":
    sys.exit(main())
