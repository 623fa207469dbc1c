# SPDX-License-Identifier: Apache-2.0

"""Hours of writers, rewrites and readers on a Delta table and a Parquet folder, of drivers that are killed and paused.

    make soak SOAK_MINUTES=60

Eight writers (five on Delta: every statement, a stream; three on the folder: appends, overwrites of a partition), two
optimizers (full, incremental, ANALYZE) and a reader are a process each. One of them after the other is killed and
started again, or sleeps for a while. All along the reader compares rows with the writers' own records, and so does each
writer that comes back; in the end everything is compared, also without the extension.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from records import History, Rows  # noqa: E402

from launching import DELTA, INTERPRETED, ZORDER, environment, settings, with_shared_classes  # noqa: E402

DELTA_WRITERS, STREAMS, PARQUET_WRITERS = (1, 2, 3, 4), (5,), (6, 7, 8)
OPTIMIZERS = (0, 1)  # of Delta, of Parquet


class Process:
    """An actor, in a process group of its own."""

    def __init__(self, folder: Path, role: str, number: int, seed: int) -> None:
        self.name = f"{role}-{number}"
        self._folder, self._request = folder, {"role": role, "number": number, "folder": str(folder)}
        self._chance = random.Random(seed)
        self.kills = 0
        self.start()

    def start(self) -> None:
        own = self._folder / f"home-{self.name}"
        own.mkdir(exist_ok=True)
        conf = with_shared_classes(settings(own, [DELTA, ZORDER])) | INTERPRETED
        conf |= {
            "spark.master": "local[1]",
            "spark.driver.memory": "600m",
            "spark.databricks.delta.snapshotPartitions": "1",
        }
        conf["spark.sql.shuffle.partitions"] = "2"
        request = self._request | {"conf": conf, "seed": self._chance.random()}
        (own / "request.json").write_text(json.dumps(request))
        with (own / "output.txt").open("a") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "actor.py"), str(own / "request.json")],
                cwd=own,
                env=environment() | {"PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE.parent)))},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def kill_and_start(self) -> None:
        self.kills += 1
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.start()

    def lines(self) -> list[dict[str, Any]]:
        path = self._folder / f"{self.name}.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Soak:
    """One run in a folder."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        (folder / "parquet").mkdir()
        for writer in PARQUET_WRITERS:
            (folder / "parquet" / f"w={writer}").mkdir()
        delta = [*DELTA_WRITERS, *STREAMS]
        (folder / "writers.json").write_text(json.dumps({"delta": delta, "parquet": PARQUET_WRITERS}))
        self._create()
        roles = {
            "delta": DELTA_WRITERS,
            "stream": STREAMS,
            "parquet": PARQUET_WRITERS,
            "optimizer": OPTIMIZERS,
            "reader": (9,),
        }
        self.actors = [Process(folder, role, n, self.chance.randrange(2**32)) for role, of in roles.items() for n in of]
        # These are never killed: what they hold must not grow.
        self.spared = [actor for actor in self.actors if actor.name in ("reader-9", "delta-1")]
        self.events: Counter[str] = Counter()

    def _create(self) -> None:
        from plain_session import columns_as_text, session

        spark = session(self.folder / "home", extension=True)
        spark.sql(
            f"CREATE TABLE delta.`{self.folder / 'delta'}` ({columns_as_text()}) USING delta PARTITIONED BY (w) "
            "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
        )
        # A folder without a file is no table yet.
        for writer in PARQUET_WRITERS:
            target = self.folder / "parquet" / f"w={writer}"
            spark.sql(f"SELECT * FROM (SELECT * FROM delta.`{self.folder / 'delta'}`) LIMIT 0").drop("w").write.mode(
                "overwrite"
            ).parquet(str(target))
        spark.stop()

    def run(self, seconds: float) -> None:
        """Until the time is over, or one of them has ended by itself."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.errors():
            time.sleep(self.chance.uniform(4, 16))
            victim = self.chance.choice([actor for actor in self.actors if actor not in self.spared])
            if self.chance.random() < 0.5:
                victim.kill_and_start()
                self.events["killed"] += 1
            else:
                asleep = self.chance.choice(self.actors)
                asleep.signal(signal.SIGSTOP)
                time.sleep(self.chance.uniform(1, 40))
                asleep.signal(signal.SIGCONT)
                self.events["paused"] += 1
        (self.folder / "stop").touch()
        for actor in self.actors:
            try:
                actor.process.wait(300)
            except subprocess.TimeoutExpired:
                actor.signal(signal.SIGKILL)

    def errors(self) -> list[str]:
        told = [f"{a.name}: {line['error']}" for a in self.actors for line in a.lines() if "error" in line]
        ended = [
            f"{a.name} ended with code {a.process.poll()}" for a in self.actors if a.process.poll() not in (None, 0)
        ]
        return told + ended

    def check(self) -> list[str]:
        """What is wrong in the end, with the extension and without."""
        from plain_session import session

        wrong = []
        for extension in (True, False):
            spark = session(self.folder / "home", extension=extension)
            for table_format, writers in (("delta", (*DELTA_WRITERS, *STREAMS)), ("parquet", PARQUET_WRITERS)):
                if extension:
                    # What interrupted rewrites have left is finished by the next.
                    table = f"{table_format}.`{self.folder / table_format}`"
                    spark.sql(f"OPTIMIZE {table} ZORDER BY (a, b) OPTIONS (mode = 'incremental')").collect()
                rows = (
                    spark.read.format(table_format)
                    .load(str(self.folder / table_format))
                    .select("w", "id", "v")
                    .collect()
                )
                for writer in writers:
                    history = History.read(self.folder / f"record-{writer}")
                    found: Rows = Counter((row["id"], row["v"]) for row in rows if row["w"] == writer)
                    if found not in history.possible(is_atomic=table_format == "delta"):
                        now = history.states[-1]
                        lost, more = len(now - found), len(found - now)
                        wrong.append(
                            f"{table_format}, writer {writer}, extension {extension}: {lost} lost, {more} more"
                        )
            spark.stop()
        staged = [str(p) for p in (self.folder / "parquet" / "_zorder" / "staging").rglob("*") if p.is_file()]
        return wrong + [f"left: {path}" for path in staged]

    def counts(self) -> Counter[str]:
        """What was done, by all; of each process its last line counts."""
        total: Counter[str] = Counter()
        for actor in self.actors:
            last = {line["pid"]: line["counts"] for line in actor.lines() if "counts" in line}
            for counts in last.values():
                total.update({f"{actor.name.split('-')[0]} {kind}": n for kind, n in counts.items()})
        return total

    def growth(self) -> list[str]:
        """Heap, threads and files of those that were never killed: medians of their second and last quarter."""
        lines = []
        for actor in self.spared:
            held = [line for line in actor.lines() if "heap" in line]
            quarter = max(1, len(held) // 4)
            early, late = held[quarter : 2 * quarter] or held, held[-quarter:]
            of = {
                key: (median(x[key] for x in early), median(x[key] for x in late))
                for key in ("heap", "threads", "files")
            }
            lines.append(f"{actor.name}: " + ", ".join(f"{key} {a:.0f} -> {b:.0f}" for key, (a, b) in of.items()))
        return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--folder", type=Path, help="kept; the default is a temporary one")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = flags.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        print(f"soak of {flags.minutes:.0f} minutes, seed {flags.seed}", flush=True)
        soak = Soak(folder, flags.seed)
        try:
            soak.run(flags.minutes * 60)
            wrong = soak.errors() or soak.check()
        finally:
            for actor in soak.actors:
                if actor.process.poll() is None:
                    actor.signal(signal.SIGKILL)
        for what, n in sorted((soak.counts() + soak.events).items()):
            print(f"  {what}: {n}")
        print("\n".join(["held (heap in KiB):", *soak.growth()]))
        print("\n".join(["WRONG:", *wrong]) if wrong else "rows: as the writers' records say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
