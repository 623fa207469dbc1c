# SPDX-License-Identifier: Apache-2.0

"""The moments at which a driver is killed: drawn with a fixed seed, over the statement and close around its commit."""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from file_events import CLOSED, CREATED, MOVED_IN

from turns import of_the_day

if TYPE_CHECKING:
    from datetime import date

    from file_events import FileEvent, FileEvents

SEED = 20

_TEMPORARY = re.compile(r"\.\d{20}\.json\..*\.tmp")
_VERSION = re.compile(r"\d{20}\.json")


class Progress:
    """What of a rewrite has been seen to happen, as (seconds since the start) of each step."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.begun: list[float] = []
        self.closed: list[float] = []
        self.commit: float | None = None
        self.version: float | None = None

    def note(self, event: FileEvent) -> None:
        name = event.path.name
        now = time.monotonic() - self.started
        if name.startswith("part-") and name.endswith(".parquet"):
            {CREATED: self.begun, CLOSED: self.closed}.get(event.kind, []).append(now)
        elif event.kind == CREATED and _TEMPORARY.fullmatch(name):
            self.commit = now
        elif event.kind == MOVED_IN and _VERSION.fullmatch(name):
            self.version = now


@dataclass(frozen=True)
class Course:
    """How the statement goes when nobody kills it: data files, and seconds of its stretches."""

    files: int
    until_version: float
    write_to_commit: float
    commit: float

    @staticmethod
    def watch(events: FileEvents, patience: float) -> Course:
        """Follows a statement that has just been told to go; returns when its version is there."""
        progress = Progress()
        for event in events.until(time.monotonic() + patience):
            progress.note(event)
            if progress.version and progress.commit:
                write_to_commit = progress.commit - progress.closed[-1]
                commit = progress.version - progress.commit
                return Course(len(progress.closed), progress.version, write_to_commit, commit)
        raise AssertionError(f"no commit in {patience} s: {vars(progress)}")


@dataclass(frozen=True)
class Moment:
    """After a step (start, n-th data file begun, all of them written, commit begun, version there) this share of the
    time until the next one.
    """

    step: str
    share: float
    file: int = 0

    def __str__(self) -> str:
        return f"{self.step}{f' {self.file}' if self.file else ''} + {self.share:.2f}"

    def wait(self, events: FileEvents, course: Course, patience: float) -> None:
        """Returns at the moment."""
        if self.step == "start":
            time.sleep(self.share * course.until_version)
            return
        progress = Progress()
        for event in events.until(time.monotonic() + patience):
            progress.note(event)
            if self._reached(progress, course):
                time.sleep(self.share * self._stretch(course))
                return
        raise AssertionError(f"{self} not reached in {patience} s: {vars(progress)}")

    def _reached(self, progress: Progress, course: Course) -> bool:
        reached = {
            "file": len(progress.begun) >= self.file,
            "written": len(progress.closed) >= course.files,
            "commit": progress.commit is not None,
            "version": progress.version is not None,
        }
        return reached[self.step]

    def _stretch(self, course: Course) -> float:
        # A data file of the test takes about 50 ms; what follows the commit, about 200.
        return {"file": 0.05, "written": course.write_to_commit, "commit": course.commit, "version": 0.2}[self.step]


def draw(files: int) -> list[Moment]:
    """20 moments in random order; the same for every run."""
    chance = random.Random(SEED)
    moments = [Moment("start", chance.random()) for _ in range(5)]
    moments += [Moment("file", chance.random(), chance.randint(1, files)) for _ in range(4)]
    moments += [Moment("written", chance.random()) for _ in range(4)]
    moments += [Moment("commit", chance.random()) for _ in range(5)]
    moments += [Moment("version", chance.random()) for _ in range(2)]
    chance.shuffle(moments)
    return moments


def some(moments: list[Moment], day: date) -> list[Moment]:
    """One of each phase, and a tenth of all, another one each day: all of them in ten days."""
    return list(dict.fromkeys([*one_of_each_phase(moments), *of_the_day(moments, day, days=10)]))


def one_of_each_phase(moments: list[Moment]) -> list[Moment]:
    """The first while data files are written, and the first in the commit."""
    first = {moment.step: moment for moment in reversed(moments)}
    return [first["file"], first["commit"]]


def before_the_commit(moments: list[Moment]) -> list[Moment]:
    """The first while data files are written: who watches has seen a death after the commit."""
    return [next(moment for moment in moments if moment.step == "file")]
