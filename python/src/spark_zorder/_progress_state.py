# SPDX-License-Identifier: Apache-2.0

"""How far a statement is, as the JVM writes it into a setting of the session (`ProgressWatch.scala`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PHASES = ("sampling", "moving", "committing")


@dataclass(frozen=True)
class ProgressState:
    """A moment of a statement.

    Attributes:
        table: the table's name.
        phase: one of `PHASES`.
        files: number of files that are being rewritten; 0 while that is not known.
        bytes: their size.
        batch: number of the commit that is under way, from 1.
        batches: number of commits; None where that is not known before.
        shares: share of each phase that is done, 0 to 1.
    """

    table: str
    phase: str
    files: int
    bytes: int
    batch: int
    batches: int | None
    shares: Mapping[str, float]


def parse_state(text: str | None) -> ProgressState | None:
    """Returns the state, or None where there is none yet or a later version writes it in another way.

    Example:
        >>> parse_state("") is None
        True
    """
    try:
        found: dict[str, Any] = json.loads(text or "{}")
        shares = {phase: min(1.0, max(0.0, float(found["shares"][phase]))) for phase in PHASES}
        batches = found["batches"]
        return ProgressState(
            table=str(found["table"]),
            phase=PHASES[PHASES.index(found["phase"])],
            files=int(found["files"]),
            bytes=int(found["bytes"]),
            batch=int(found["batch"]),
            batches=None if batches is None else int(batches),
            shares=shares,
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
