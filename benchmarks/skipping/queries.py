# SPDX-License-Identifier: Apache-2.0

"""The lookups, as SQL that every system understands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# The table is z-ordered by these.
COLUMNS = ("user_id", "event_time")

# Conditions around a row that is there, by what they look up.
KINDS = {
    "a user": "user_id = {user}",
    "a moment": "event_time = TIMESTAMP'{time}'",
    "a day": "event_time >= TIMESTAMP'{time}' AND event_time < TIMESTAMP'{time}' + INTERVAL 1 DAY",
    "a user's month": "user_id = {user} AND event_time >= TIMESTAMP'{time}' - INTERVAL 15 DAYS"
    " AND event_time < TIMESTAMP'{time}' + INTERVAL 15 DAYS",
}


class Lookup(NamedTuple):
    """A condition, and its name in `KINDS`."""

    kind: str
    condition: str

    def sql(self, table: str) -> str:
        """A query that reads other columns than those of the condition, and finds differences in rows."""
        return (
            "SELECT count(*) AS rows, sum(item_id) AS items, sum(quantity) AS quantity, sum(milliseconds) AS took"
            f" FROM {table} WHERE {self.condition}"
        )


def lookups(drawn: Sequence[tuple[int, str]]) -> list[Lookup]:
    """Every kind for every drawn row.

    Args:
        drawn: user and time, the latter as text.
    """
    return [Lookup(kind, text.format(user=user, time=time)) for kind, text in KINDS.items() for user, time in drawn]
