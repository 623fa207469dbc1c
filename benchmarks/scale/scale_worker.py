# SPDX-License-Identifier: Apache-2.0

"""A measured process of `scale.py`.

python scale_worker.py ROLE SPEC RESULT; the roles are the functions of `ROLES`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.sessions import delta_session, zorder_session
from scale import delta_folder, parquet_folder
from scale.heap import Heap
from scale.planning import CONDITIONS, plan, warm
from scale.seed import COLUMNS, ZORDER

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

Spec = dict[str, Any]


def build(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """Both tables."""
    of = {"parquet": parquet_folder, "delta": delta_folder}
    return {name: of[name].build(spark, Path(spec[name]), spec["partitions"]) for name in spec["formats"]}


def _view(spark: SparkSession, spec: Spec) -> str:
    """A view on the folder, which Spark lists once."""
    spark.read.parquet(spec["parquet"]).createOrReplaceTempView("many")
    return "many"


def parquet_first(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """The first plan of a process, with the index; a new version of the index; all warm."""
    heap = Heap(spark)
    start = heap.held()
    listing = heap.of(lambda: _view(spark, spec))
    nothing = CONDITIONS["nothing"]
    first = plan(spark, heap, "many", nothing)
    plans = warm(spark, heap, "many", spec["rounds"])
    # Of a name not seen before: the index is read again, the JVM has its code compiled.
    folder = Path(spec["parquet"])
    parquet_folder.replace(folder, parquet_folder.version(folder))
    again = plan(spark, heap, "many", nothing)
    return {"start": start, "listing": listing._asdict(), "first": first, "again": again, "plans": plans}


def parquet_first_without(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """The first plan of a process, without the index."""
    _view(spark, spec)
    return {"first": plan(spark, Heap(spark), "many", CONDITIONS["nothing"], by_index=False)}


def parquet_path(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """Statements on the folder."""
    return _statements(spark, spec, f"parquet.`{spec['parquet']}`")


def parquet_catalog(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """Statements on a table of the catalog."""
    spark.sql(
        f"CREATE TABLE many ({COLUMNS}, part INT) USING parquet PARTITIONED BY (part) LOCATION '{spec['parquet']}'"
    )
    heap = Heap(spark)
    recovered = heap.of(lambda: spark.sql("ALTER TABLE many RECOVER PARTITIONS").collect())
    spark.sql("SELECT a FROM many LIMIT 0").collect()
    return {"recovered": recovered._asdict()} | _statements(spark, spec, "many")


def delta(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """Plans and statements on the Delta table."""
    table, heap = f"delta.`{spec['delta']}`", Heap(spark)
    first = plan(spark, heap, table, CONDITIONS["nothing"])
    plans = warm(spark, heap, table, spec["rounds"])
    return {"first": first, "plans": plans} | _statements(spark, spec, table)


def delta_alone(spark: SparkSession, spec: Spec) -> dict[str, Any]:
    """Plans by Delta, without the extension."""
    table, heap = f"delta.`{spec['delta']}`", Heap(spark)
    return {
        "first": plan(spark, heap, table, CONDITIONS["nothing"]),
        "plans": warm(spark, heap, table, spec["rounds"]),
    }


def _statements(spark: SparkSession, spec: Spec, table: str) -> dict[str, Any]:
    heap, size = Heap(spark), f"target_file_size = '{spec['target']}'"
    texts = {
        "DESCRIBE LAYOUT": f"DESCRIBE LAYOUT {table} ON (a, b)",
        "incremental OPTIMIZE, nothing to do": f"OPTIMIZE {table} {ZORDER} OPTIONS ({size}, mode = 'incremental')",
        "the same again": f"OPTIMIZE {table} {ZORDER} OPTIONS ({size}, mode = 'incremental')",
        "OPTIMIZE of a partition": f"OPTIMIZE {table} WHERE part = 3 {ZORDER} OPTIONS ({size}, force = true)",
        "EXPLAIN SKIPPING": f"EXPLAIN SKIPPING SELECT * FROM {table} WHERE {CONDITIONS['one file of each partition']}",
    }
    if spec["partitions"] > spec["explained"]:
        texts.pop("EXPLAIN SKIPPING")
    done = {}
    for name, text in texts.items():
        answers: list[str] = []

        def run(text: str = text, answers: list[str] = answers) -> None:
            answers += [str(row) for row in spark.sql(text).collect()]

        done[name] = heap.of(run)._asdict() | {"said": answers[:2]}
    return {"statements": done}


ROLES: dict[str, tuple[Callable[[Path, str], SparkSession], Callable[[SparkSession, Spec], dict[str, Any]]]] = {
    "build": (zorder_session, build),
    "parquet_first": (zorder_session, parquet_first),
    "parquet_first_without": (zorder_session, parquet_first_without),
    "parquet_path": (zorder_session, parquet_path),
    "parquet_catalog": (zorder_session, parquet_catalog),
    "delta": (zorder_session, delta),
    "delta_alone": (delta_session, delta_alone),
}


def main() -> int:
    """Runs what the specification says."""
    role, spec, result = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    session, run = ROLES[role]
    spark = session(Path(spec["work"]) / role, spec["memory"])
    result.write_text(json.dumps(run(spark, spec), indent=1))
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
