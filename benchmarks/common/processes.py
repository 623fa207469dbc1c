# SPDX-License-Identifier: Apache-2.0

"""CPU time and peak memory of a process with all of its children, from /proc."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def process_tree(root: int) -> list[int]:
    """The ids of a process and of everything that it started, as far as it still runs."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                children.setdefault(int(_stat(int(folder.name))[1]), []).append(int(folder.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def cpu_seconds(processes: list[int]) -> float:
    """User and system time of these processes and of their children that have ended."""
    ticks = 0
    for process in processes:
        with suppress(OSError):
            ticks += sum(int(value) for value in _stat(process)[11:15])
    return ticks / _TICKS


def busy_seconds() -> float:
    """What all cores together have worked since the machine started, time stolen by its host included."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / _TICKS


def reset_peaks(processes: list[int]) -> None:
    """Lets every process's peak of resident memory start again."""
    for process in processes:
        with suppress(OSError):
            Path(f"/proc/{process}/clear_refs").write_text("5")


def peak_bytes(processes: list[int]) -> int:
    """The sum of the processes' peaks of resident memory."""
    total = 0
    for process in processes:
        with suppress(OSError):
            for line in Path(f"/proc/{process}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    total += int(line.split()[1]) * 1024
    return total


def _stat(process: int) -> list[str]:
    # The name in parentheses may hold blanks; what follows it does not. The first field is then the state.
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()


@dataclass(frozen=True)
class Measure:
    """What a statement took; `began` and `ended` in milliseconds of the system's clock.

    `others_cpu_seconds` is what everything else on the machine took in that time, the kernel's own work included.
    """

    wall_seconds: float
    cpu_seconds: float
    others_cpu_seconds: float
    peak_bytes: int
    began: int
    ended: int


class Stopwatch:
    """Measures this process and its children from its creation until `stop`."""

    def __init__(self) -> None:
        """Starts."""
        processes = process_tree(os.getpid())
        reset_peaks(processes)
        self._cpu = cpu_seconds(processes)
        self._busy = busy_seconds()
        self._began = int(time.time() * 1000)
        self._start = time.perf_counter()

    def stop(self) -> Measure:
        """What it took."""
        wall = time.perf_counter() - self._start
        ended = int(time.time() * 1000) + 1
        processes = process_tree(os.getpid())
        cpu, busy = cpu_seconds(processes) - self._cpu, busy_seconds() - self._busy
        return Measure(wall, cpu, max(0.0, busy - cpu), peak_bytes(processes), self._began, ended)
