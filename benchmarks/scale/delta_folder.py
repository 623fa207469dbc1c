# SPDX-License-Identifier: Apache-2.0

"""A Delta table of very many files, whose log says of every partition what it says of the first."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING, Any

from scale.seed import COLUMNS, cut, link, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

_PARTITIONS_OF_COMMIT = 100


def build(spark: SparkSession, folder: Path, partitions: int) -> dict[str, int]:
    """Builds the table anew, with a checkpoint.

    Returns:
        `files` in all, and `target`, the size in bytes that files were asked to have.
    """
    shutil.rmtree(folder, ignore_errors=True)
    table, first = f"delta.`{folder}`", folder / "part=0"
    spark.sql(f"CREATE TABLE {table} ({COLUMNS}, part INT) USING delta PARTITIONED BY (part)")
    rows(spark).selectExpr("*", "0 AS part").write.format("delta").mode("append").save(str(folder))
    target = cut(spark, table, first)
    live = _added(folder)
    for file in first.glob("*.parquet"):
        if f"part=0/{file.name}" not in live:
            file.unlink()
    link(first, partitions, folder)
    for begin in range(1, partitions, _PARTITIONS_OF_COMMIT):
        _commit(folder, range(begin, min(partitions, begin + _PARTITIONS_OF_COMMIT)), live)
    jvm: Any = spark.sparkContext._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, str(folder))
    none = jvm.scala.Option.empty()
    log.checkpoint(log.update(False, none, none), none)
    return {"files": len(live) * partitions, "target": target}


def _added(folder: Path) -> dict[str, dict[str, Any]]:
    """The files of the last commit, by their paths."""
    last = max((folder / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in last.read_text().splitlines()]
    return {action["add"]["path"]: action["add"] for action in actions if "add" in action}


def _commit(folder: Path, partitions: range, live: dict[str, dict[str, Any]]) -> None:
    log = folder / "_delta_log"
    number = int(max(log.glob("*.json")).stem) + 1
    with (log / f"{number:020d}.json").open("w") as file:
        file.writelines(f"{json.dumps(action)}\n" for action in _actions(partitions, live))


def _actions(partitions: range, live: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    parameters = {"mode": "Append", "partitionBy": "[]"}
    yield {
        "commitInfo": {
            "timestamp": int(time.time() * 1000),
            "operation": "WRITE",
            "operationParameters": parameters,
            "isBlindAppend": True,
        }
    }
    for partition in partitions:
        for path, add in live.items():
            moved = f"part={partition}/{path.split('/', 1)[1]}"
            yield {"add": add | {"path": moved, "partitionValues": {"part": str(partition)}, "dataChange": True}}
