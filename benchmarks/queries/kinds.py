# SPDX-License-Identifier: Apache-2.0

"""What is asked of every layout: lookups by both columns and by one, and what a layout hardly helps."""

from __future__ import annotations

from typing import NamedTuple

# The tables are clustered by these; rows arrive in the order of the second.
COLUMNS = ("user_id", "event_time")

_SUMS = "count(*) AS rows, sum(item_id) AS items, sum(quantity) AS quantity"


class Query(NamedTuple):
    """What a query is for, and its text with `{t}` for the table."""

    kind: str
    text: str


def queries(user: int, time: str) -> list[Query]:
    """The queries around a row that is there.

    Args:
        user: its user.
        time: its time, as text.
    """
    week = f"event_time >= TIMESTAMP'{time}' AND event_time < TIMESTAMP'{time}' + INTERVAL 7 DAYS"
    return [
        Query("point: a user", f"SELECT {_SUMS} FROM {{t}} WHERE user_id = {user}"),
        Query("range: a week", f"SELECT {_SUMS} FROM {{t}} WHERE {week}"),
        Query(
            "box: 2 % of users, a month",
            f"SELECT {_SUMS} FROM {{t}} WHERE user_id BETWEEN {user} AND {user + 20_000}"
            f" AND event_time >= TIMESTAMP'{time}' AND event_time < TIMESTAMP'{time}' + INTERVAL 30 DAYS",
        ),
        Query(
            "join with 20 users",
            f"SELECT {_SUMS} FROM {{t}} JOIN few_users USING (user_id)",
        ),
        Query(
            "join with 1,000 neighbours",
            f"SELECT {_SUMS} FROM {{t}} JOIN near_users USING (user_id)",
        ),
        Query("a day, by date()", f"SELECT {_SUMS} FROM {{t}} WHERE date(event_time) = date(TIMESTAMP'{time}')"),
        Query("top-N: the last 10", "SELECT user_id, event_time, item_id FROM {t} ORDER BY event_time DESC LIMIT 10"),
        Query("everything", f"SELECT {_SUMS} FROM {{t}}"),
    ]


# By what the source holds: users that have nothing to do with each other, and 1,000 with neighbouring numbers.
MERGES = {
    kind: (
        f"MERGE INTO {{t}} AS t USING {source} AS s ON t.user_id = s.user_id"
        " WHEN MATCHED AND t.quantity < 3 THEN UPDATE SET quantity = t.quantity + 1"
    )
    for kind, source in {"20 users": "few_users", "1,000 neighbours": "near_users"}.items()
}
