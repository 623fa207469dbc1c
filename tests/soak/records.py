# SPDX-License-Identifier: Apache-2.0

"""A writer's own record of what it has done: a file with a line before each operation, and one after it.

Each writer changes only rows of its own, one operation after the other. So what the table must hold of them is known:
the rows after as many operations as have ended, or after the one that has begun.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Rows = Counter[tuple[int, int]]  # of ids and versions; each of them once

APPEND, DELETE, UPDATE, MERGE, OVERWRITE = "append", "delete", "update", "merge", "overwrite"


@dataclass(frozen=True)
class Operation:
    """What an operation does to a writer's rows.

    Attributes:
        number: counts the writer's operations.
        kind: one of the names above.
        ids: the rows that it is about.
        version: what it sets in them.
    """

    number: int
    kind: str
    ids: tuple[int, ...]
    version: int = 0

    def after(self, rows: Rows) -> Rows:
        """The writer's rows after it."""
        wanted = set(self.ids)
        if self.kind == OVERWRITE:
            return Counter({(i, self.version): 1 for i in self.ids})
        if self.kind == DELETE:
            return Counter({row: n for row, n in rows.items() if row[0] not in wanted})
        if self.kind == UPDATE:
            return Counter({(i, self.version if i in wanted else v): n for (i, v), n in rows.items()})
        kept = {row: n for row, n in rows.items() if row[0] not in wanted}
        return Counter(kept | {(i, self.version): 1 for i in self.ids})

    def may_leave(self, rows: Rows, *, is_atomic: bool) -> list[Rows]:
        """What may be there while it runs, or when it was interrupted."""
        found = [rows, self.after(rows)]
        # Spark's own writer deletes the files of a partition, and then moves the new ones in.
        return [*found, Counter()] if self.kind == OVERWRITE and not is_atomic else found


class Record:
    """The file, as its writer keeps it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def begin(self, operation: Operation) -> None:
        self._say({"begin": vars(operation)})

    def end(self, number: int) -> None:
        self._say({"end": number})

    def without_effect(self, number: int) -> None:
        """It was refused, or it was interrupted and nothing of it is there."""
        self._say({"none": number})

    def emptied(self, number: int) -> None:
        """It was interrupted between its two steps, and nothing is there."""
        self._say({"empty": number})

    def _say(self, line: Mapping[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


@dataclass
class History:
    """What a record says at one moment.

    Attributes:
        states: the writer's rows after each operation that has ended, the first of them none.
        open: the operation that has begun.
        last: number of the last operation.
    """

    states: list[Rows] = field(default_factory=lambda: [Counter()])
    open: Operation | None = None
    last: int = 0

    @classmethod
    def read(cls, path: Path) -> History:
        history = cls()
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        for line in (json.loads(text) for text in lines if text.endswith("\n")):
            if "begin" in line:
                of = line["begin"]
                history.open = Operation(of["number"], of["kind"], tuple(of["ids"]), of["version"])
                history.last = of["number"]
            else:
                assert history.open is not None
                now = history.states[-1]
                if "end" in line:
                    history.states.append(history.open.after(now))
                elif "empty" in line:
                    history.states.append(Counter())
                history.open = None
        return history

    def possible(self, *, is_atomic: bool) -> list[Rows]:
        """What the table may hold now."""
        now = self.states[-1]
        return self.open.may_leave(now, is_atomic=is_atomic) if self.open else [now]


def matches(found: Rows, before: History, after: History, *, is_atomic: bool) -> bool:
    """Whether a read that began after `before` was known, and ended before `after` was, may have found these rows."""
    states: Sequence[Rows] = after.states[len(before.states) - 1 :]
    if found in states or found in after.possible(is_atomic=is_atomic):
        return True
    # An operation that had not ended before, and has since: also what it may leave on its way.
    return not is_atomic and not found and len(states) > 1
