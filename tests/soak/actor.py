# SPDX-License-Identifier: Apache-2.0

"""What all drivers of a soak run have: a session, a log, chance by a seed. They go on until they are told to stop."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from records import Rows

# Refused, because another was faster; nothing was changed.
REFUSED = ("io.delta.exceptions.Concurrent", "ZORDER_FILES_CHANGED", "ZORDER_TABLE_LOCKED")
# A reader of Parquet files that has listed one which is gone by now; as without the extension, it asks again. Files of
# a Delta table stay.
GONE: dict[str, tuple[str, ...]] = {"parquet": ("FileNotFoundException", "FILE_NOT_EXIST"), "delta": ()}


class Actor:
    """A driver of its own.

    The request is an object of JSON: `role`, `number`, `seed`, `folder` (of the run), `conf` (of the session). It keeps
    what it does in `<role>-<number>.log` of the folder.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self.folder = Path(request["folder"])
        self.name = f"{request['role']}-{request['number']}"
        self.number = int(request["number"])
        self.chance = random.Random(request["seed"])
        builder = SparkSession.builder
        for key, value in request["conf"].items():
            builder = builder.config(key, value)
        self.spark = builder.getOrCreate()
        self.counts: Counter[str] = Counter()
        self._told = 0.0

    def run(self) -> None:
        while not (self.folder / "stop").exists():
            self.step()
            if time.monotonic() - self._told > 30:
                self.tell()
        self.tell()

    def step(self) -> None:
        raise NotImplementedError

    def tell(self) -> None:
        """A line with what was done since the start of this process, and what it holds."""
        self._told = time.monotonic()
        runtime = self.spark._jvm.java.lang.Runtime.getRuntime()
        self.spark._jvm.System.gc()
        pid = self.spark.sparkContext._gateway.proc.pid
        held = {
            "heap": (runtime.totalMemory() - runtime.freeMemory()) // 1024,
            "threads": sum(1 for _ in Path(f"/proc/{pid}/task").iterdir()),
            "files": sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        }
        self.say({"pid": os.getpid(), "counts": dict(self.counts), **held})

    def say(self, line: dict[str, Any]) -> None:
        with (self.folder / f"{self.name}.log").open("a") as file:
            file.write(json.dumps({"time": time.time(), **line}) + "\n")

    def attempt(self, kind: str, action: Callable[[], object], allowed: tuple[str, ...] = REFUSED) -> bool:
        """Whether it succeeded; False where it was refused. What else goes wrong ends the process, and the run."""
        try:
            action()
        except Exception as error:
            text = f"{error} {getattr(error, '_stackTrace', '')}"
            if not any(word in text for word in allowed):
                self.say({"error": f"{kind}: {text}"[:8000]})
                raise
            self.counts[f"{kind} refused"] += 1
            return False
        self.counts[kind] += 1
        return True

    def table(self, table_format: str) -> str:
        return f"{table_format}.`{self.folder / table_format}`"

    def rows_of(self, table_format: str, writer: int) -> Rows:
        """As they are now, of one writer."""
        if table_format == "parquet" and not any((self.folder / "parquet" / f"w={writer}").glob("*.parquet")):
            return Counter()
        query = f"SELECT id, v FROM {self.table(table_format)} WHERE w = {writer}"
        return Counter((row["id"], row["v"]) for row in self.spark.sql(query).collect())

    def unlike(self, what: str, wanted: Rows, found: Rows) -> SystemExit:
        """Says what is missing and what is there too much; to be raised."""
        missing, more = wanted - found, found - wanted
        text = f"{what}: {len(missing)} rows are missing, {len(more)} too many: {list(missing)[:3]} {list(more)[:3]}"
        self.say({"error": text})
        return SystemExit(3)
