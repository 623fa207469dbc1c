# SPDX-License-Identifier: Apache-2.0

"""The measured process: every query on every layout in turns, then a MERGE into a copy of each.

python queries_worker.py zorder SPEC RESULT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.sessions import zorder_session
from common.statements import merge_and_restore
from queries.kinds import MERGES, queries
from queries.layouts import LAYOUT_ALONE, OURS, build
from skipping.measure import run_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


_DYNAMIC = "spark.sql.zorder.skipping.dynamic"


def main() -> int:
    """Runs what the specification says."""
    spec, result = json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    work = Path(spec["work"])
    spark = zorder_session(work / "session", spec["memory"])
    tables = build(spark, work / "tables", spec["rows"], spec["files"])
    # Queries of all but the last skip as Spark and Delta alone do.
    tables = {name: table for name, table in tables.items() if name != OURS} | {
        LAYOUT_ALONE: tables[OURS],
        OURS: tables[OURS],
    }
    result.write_text(json.dumps({"runs": _measured(spark, tables, spec), "merges": _merges(spark, tables)}, indent=1))
    spark.stop()
    return 0


def _measured(spark: SparkSession, tables: Mapping[str, str], spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    arrived = next(iter(tables.values()))
    # Users of a middling number of rows: a few are in every file, whatever the layout.
    users = f"SELECT user_id, min(event_time) AS time FROM {arrived} WHERE user_id > 100000 GROUP BY user_id"
    rows = spark.sql(f"SELECT user_id, CAST(time AS STRING) FROM ({users}) ORDER BY hash(user_id) LIMIT 20").collect()
    spark.createDataFrame([(row[0],) for row in rows], "user_id BIGINT").createOrReplaceTempView("few_users")
    # In no file's statistics is what makes them few.
    spark.sql(f"SELECT {rows[0][0]} + id AS user_id FROM range(1000)").createOrReplaceTempView("near_users")
    counts = {system: spark.sql(f"DESCRIBE DETAIL {table}").head()["numFiles"] for system, table in tables.items()}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number in range(-1, spec["rounds"]):
        for query in queries(*rows[0]):
            for system, table in tables.items():
                spark.conf.set(_DYNAMIC, str(system == OURS).lower())
                once = run_once(spark, query.text.format(t=table))
                if number >= 0:
                    found.setdefault((system, query.kind), []).append(once)
    return [
        {"system": system, "kind": kind, "of": counts[system]}
        | runs[-1]
        | {"seconds": median(run["seconds"] for run in runs)}
        for (system, kind), runs in found.items()
    ]


def _merges(spark: SparkSession, tables: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each MERGE into each table, which is then as it was; once before that is not counted."""
    merges = []
    for kind, text in MERGES.items():
        for system, table in tables.items():
            spark.conf.set(_DYNAMIC, str(system == OURS).lower())
            merge_and_restore(spark, table, text.format(t=table))
            done = merge_and_restore(spark, table, text.format(t=table))
            merges.append(
                {
                    "kind": kind,
                    "system": system,
                    "seconds": done["executionTimeMs"] / 1000,
                    "search": done["scanTimeMs"] / 1000,
                    "updated": done["numTargetRowsUpdated"],
                    "files": done["numTargetFilesRemoved"],
                    "bytes": done["numTargetBytesAdded"],
                }
            )
    return merges


if __name__ == "__main__":
    sys.exit(main())
