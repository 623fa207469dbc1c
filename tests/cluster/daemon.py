# SPDX-License-Identifier: Apache-2.0

"""A process of a cluster, with its log."""

from __future__ import annotations

import subprocess
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    import signal
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_PATIENCE = 120  # seconds


class Daemon:
    """A process that is up when this returns.

    Args:
        folder: where it runs, and where its log is.
        name: of its log.
        command: its words.
        env: its environment.
        up: what it says in one line when it is up.
    """

    def __init__(
        self, folder: Path, name: str, command: Sequence[str], env: Mapping[str, str], up: re.Pattern[str]
    ) -> None:
        self._file = folder / f"{name}.log"
        self._log = self._file.open("a")
        self._up = threading.Event()
        self._pattern = up
        self.found: re.Match[str] | None = None
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._up.wait(_PATIENCE) or not self.found:
            self.end()
            raise AssertionError(f"not up: {self.log()}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._log.write(line)
            self._log.flush()
            if not self.found and (found := self._pattern.search(line)):
                self.found = found
                self._up.set()
        self._up.set()

    @property
    def pid(self) -> int:
        return self._process.pid

    def log(self) -> str:
        """All that it has said."""
        return self._file.read_text()

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> None:
        """Ends it by its process id."""
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(30)
        self._log.close()
