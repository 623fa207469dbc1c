# SPDX-License-Identifier: Apache-2.0

"""Jobs and shuffled bytes of a statement, from Spark's event log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SHUFFLED = "internal.metrics.shuffle.write.bytesWritten"


@dataclass(frozen=True)
class SparkWork:
    """What Spark did in a span of time."""

    jobs: int
    shuffle_bytes: int


def spark_work(folder: Path, began: int, ended: int) -> SparkWork | None:
    """The work that began in a span of time.

    Args:
        folder: where a session wrote its one event log.
        began: in milliseconds of the system's clock.
        ended: likewise.

    Returns:
        None if the folder does not exist: the system is not on Spark.
    """
    if not folder.is_dir():
        return None
    jobs = shuffled = 0
    for event in _events(folder):
        if event["Event"] == "SparkListenerJobStart" and began <= event["Submission Time"] <= ended:
            jobs += 1
        elif event["Event"] == "SparkListenerStageCompleted":
            stage = event["Stage Info"]
            if began <= stage.get("Submission Time", 0) <= ended:
                shuffled += sum(int(a["Value"]) for a in stage["Accumulables"] if a["Name"] == _SHUFFLED)
    return SparkWork(jobs, shuffled)


def _events(folder: Path) -> Iterator[dict[str, Any]]:
    (log,) = (path for path in folder.iterdir() if not path.name.startswith("."))
    with log.open() as lines:
        for line in lines:
            if line.startswith(('{"Event":"SparkListenerJobStart"', '{"Event":"SparkListenerStageCompleted"')):
                yield json.loads(line)
