# SPDX-License-Identifier: Apache-2.0

"""A driver process, Python and JVM, that carries out one statement, and its death."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from launching import DELTA, INTERPRETED, ZORDER, environment, settings, with_shared_classes

if TYPE_CHECKING:
    from collections.abc import Sequence


class Victim:
    """Starts a driver whose session is open and whose statements wait for `go`.

    Args:
        folder: for its files; made here. In it `begun-<n>` and `done-<n>` appear around the n-th statement.
        statements: what it will run, several at once.
        stagger: seconds from the start of one statement to that of the next.
    """

    def __init__(self, folder: Path, statements: Sequence[str], *, stagger: float = 0.0) -> None:
        folder.mkdir()
        self._log = folder / "events"
        self._log.mkdir()
        request = {"conf": self._conf(folder), "statements": statements, "stagger": stagger}
        (folder / "request.json").write_text(json.dumps(request))
        self._errors = (folder / "stderr.txt").open("w")
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("victim_main.py")), str(folder / "request.json")],
            cwd=folder,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            # A process group of its own: Python and JVM die by the same signal.
            start_new_session=True,
        )
        self._jvm = 0

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = with_shared_classes(settings(folder, [DELTA, ZORDER]))
        conf |= INTERPRETED
        events = {"enabled": "true", "dir": str(self._log), "compress": "false", "rolling.enabled": "false"}
        return conf | {f"spark.eventLog.{k}": v for k, v in events.items()}

    def ready(self) -> None:
        """Waits until the session is open."""
        if not self._jvm:
            self._jvm = self._answer()["ready"]

    def go(self) -> None:
        self._say()

    def outcome(self) -> str | None:
        """Waits for the end of the statement, and of the process; the statement's error, if it failed."""
        error = self.error()
        self._say()
        self._process.wait()
        self._wait_for_jvm()
        self._errors.close()
        return error

    def error(self) -> str | None:
        """Waits for the end of the statement; its error, if it failed."""
        answer: str | None = self._answer()["error"]
        return answer

    def finished(self) -> bool:
        """Whether the statement has ended, well or not."""
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def kill(self) -> None:
        """SIGKILL to Python and JVM; returns when both are gone."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._wait_for_jvm()
        self._errors.close()

    def stop(self) -> None:
        """SIGSTOP: both processes sleep, wherever they are."""
        os.killpg(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.killpg(self._process.pid, signal.SIGCONT)

    def last_job(self) -> str | None:
        """The phase that the statement's last job had in its description."""
        texts = [file.read_text(errors="replace") for file in self._log.iterdir()]
        found = re.findall(r'"spark.job.description":"z-order of .*?: ([^"]*)"', "".join(texts))
        return found[-1] if found else None

    def _wait_for_jvm(self) -> None:
        while True:
            try:
                state = Path(f"/proc/{self._jvm}/stat").read_text().rpartition(")")[2].split()[0]
            except FileNotFoundError:
                return
            if state == "Z":
                return
            time.sleep(0.002)

    def _say(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, Path(self._errors.name).read_text()[-2000:]
        return json.loads(line)
