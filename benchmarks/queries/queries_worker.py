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
from queries.kinds import MERGE, queries
from queries.layouts import build
from skipping.measure import run_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


def main() -> int:
    """Runs what the specification says."""
    spec, result = json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    work = Path(spec["work"])
    spark = zorder_session(work / "session", spec["memory"])
    tables = build(spark, work / "tables", spec["rows"], spec["files"])
    result.write_text(json.dumps({"runs": _measured(spark, tables, spec), "merges": _merges(spark, tables)}, indent=1))
    spark.stop()
    return 0


def _measured(spark: SparkSession, tables: Mapping[str, str], spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    arrived = next(iter(tables.values()))
    # Users of a middling number of rows: a few are in every file, whatever the layout.
    users = f"SELECT user_id, min(event_time) AS time FROM {arrived} WHERE user_id > 100000 GROUP BY user_id"
    rows = spark.sql(f"SELECT user_id, CAST(time AS STRING) FROM ({users}) ORDER BY hash(user_id) LIMIT 20").collect()
    spark.createDataFrame([(row[0],) for row in rows], "user_id BIGINT").createOrReplaceTempView("few_users")
    counts = {system: spark.sql(f"DESCRIBE DETAIL {table}").head()["numFiles"] for system, table in tables.items()}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number in range(-1, spec["rounds"]):
        for query in queries(*rows[0]):
            for system, table in tables.items():
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
    """A MERGE into each, unmeasured once on the first; the tables are not used afterwards."""
    spark.sql(MERGE.format(t=tables["load order"])).collect()
    spark.sql(f"RESTORE TABLE {tables['load order']} TO VERSION AS OF 0").collect()
    merges = []
    for system, table in tables.items():
        spark.sql(MERGE.format(t=table)).collect()
        done = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").head()["operationMetrics"]
        merges.append(
            {
                "system": system,
                "seconds": int(done["executionTimeMs"]) / 1000,
                "updated": int(done["numTargetRowsUpdated"]),
                "files": int(done["numTargetFilesRemoved"]),
                "bytes": int(done["numTargetBytesAdded"]),
            }
        )
    return merges


if __name__ == "__main__":
    sys.exit(main())
