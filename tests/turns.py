# SPDX-License-Identifier: Apache-2.0

"""What `make test-all` has no time for each day takes turns; `make test-nightly` runs all of it."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

# In so many days each has had its turn; `TestRing` has the same number. A sixth each day took CI too long.
DAYS = 12

# Each also runs what the one before it runs. `daily`, all that each day has, is no `make` target of its own.
RINGS = ["short", "daily", "long", "nightly"]


def left_out_of(ring: str) -> list[str]:
    """The marks of tests that a ring leaves to longer ones."""
    return RINGS[RINGS.index(ring) + 1 :]


def today() -> date:
    """The day of this run, which `make` sets once: it may go on past midnight."""
    return date.fromisoformat(os.environ.get("ZORDER_TEST_DAY") or date.today().isoformat())


def of_the_day(things: Sequence[T], day: date, days: int = DAYS) -> list[T]:
    """One of every `days` things, on the next day the one after it."""
    return list(things[day.toordinal() % days :: days])
