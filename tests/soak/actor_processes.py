# SPDX-License-Identifier: Apache-2.0

"""Drivers of a soak run as processes, which can be killed, paused and started again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from launching import DELTA, INTERPRETED, ZORDER, environment, settings, with_shared_classes

HERE = Path(__file__).parent


class ActorProcess:
    """An actor, in a process group of its own."""

    def __init__(self, folder: Path, role: str, number: int, seed: int) -> None:
        self.name = f"{role}-{number}"
        self._folder, self._request = folder, {"role": role, "number": number, "folder": str(folder)}
        self._chance = random.Random(seed)
        self.start()

    def start(self) -> None:
        own = self._folder / f"home-{self.name}"
        own.mkdir(exist_ok=True)
        request = self._request | {"conf": conf(own), "seed": self._chance.random()}
        (own / "request.json").write_text(json.dumps(request))
        with (own / "output.txt").open("a") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "actor_main.py"), str(own / "request.json")],
                cwd=own,
                env=environment() | {"PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE.parent)))},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """Also one that is paused."""
        if self.is_running:
            self.signal(signal.SIGKILL)
        self.process.wait()

    def end(self, seconds: float) -> None:
        """Waits until it has ended by itself, and kills it when the time is over."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()

    def lines(self) -> list[dict[str, Any]]:
        """What it has told."""
        path = self._folder / f"{self.name}.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def errors(self) -> list[str]:
        code = self.process.poll()
        ended = [f"{self.name} ended with code {code}"] if code not in (None, 0) else []
        return [f"{self.name}: {line['error']}" for line in self.lines() if "error" in line] + ended


def conf(own: Path) -> dict[str, str]:
    """Settings of a driver that leaves room for ten others."""
    small = {
        "spark.master": "local[1]",
        "spark.driver.memory": "600m",
        "spark.databricks.delta.snapshotPartitions": "1",
        # A driver that has slept for longer takes its own executor for lost, and ends.
        "spark.network.timeout": "900s",
        "spark.sql.shuffle.partitions": "2",
    }
    return with_shared_classes(settings(own, [DELTA, ZORDER])) | INTERPRETED | small
