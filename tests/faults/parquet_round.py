# SPDX-License-Identifier: Apache-2.0

"""One driver that rewrites several Parquet tables at once, to be disturbed at chosen moments."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from file_events import CREATED, FileEvents
from victim import Victim

if TYPE_CHECKING:
    import random
    from pathlib import Path

TABLES = 8
FEW_TABLES = 4
PATIENCE = 120


def statement(table: Path) -> str:
    return f"OPTIMIZE parquet.`{table}` ZORDER BY (a, b) OPTIONS (target_file_size = '6000')"


class Round:
    """One driver with so many tables of its own, copies of `original`."""

    def __init__(self, folder: Path, original: Path, stagger: float, tables: int = TABLES) -> None:
        folder.mkdir()
        self.tables = [folder / f"table-{i}" for i in range(tables)]
        for table in self.tables:
            shutil.copytree(original, table)
            # So that they can be watched from the beginning.
            (table / "_zorder" / "log").mkdir(parents=True)
        self.folder = folder / "victim"
        self.victim = Victim(self.folder, list(map(statement, self.tables)), stagger=stagger)

    def under_way(self) -> list[int]:
        """The tables whose statement has begun and not ended."""
        return [
            i
            for i in range(len(self.tables))
            if (self.folder / f"begun-{i}").exists() and not (self.folder / f"done-{i}").exists()
        ]

    def undisturbed(self) -> float:
        """Runs everything to its end; the seconds that it takes."""
        self.victim.ready()
        started = time.monotonic()
        self.victim.go()
        assert self.victim.outcome() is None
        return time.monotonic() - started

    def go_until(self, chance: random.Random, lasts: float, *, by_log: bool) -> str:
        """Starts the statements and waits for a moment: soon after something was written in a log, or any."""
        events = FileEvents([table / "_zorder" / "log" for table in self.tables])
        self.victim.go()
        try:
            if by_log:
                return _after_event(chance.randint(1, 2 * len(self.tables)), chance, events, lasts)
            time.sleep(chance.uniform(0.1, 0.9) * lasts)
            return "at random"
        finally:
            events.close()


def _after_event(left: int, chance: random.Random, events: FileEvents, lasts: float) -> str:
    for event in events.until(time.monotonic() + min(PATIENCE, 2 * lasts)):
        if event.kind == CREATED and not event.path.name.startswith("."):
            left -= 1
            if left == 0:
                time.sleep(chance.uniform(0, 0.02))
                return f"after {event.path.suffix}"
    return "late"
