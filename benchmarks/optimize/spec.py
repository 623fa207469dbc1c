# SPDX-License-Identifier: Apache-2.0

"""What a measured process is told: which system rewrites which table by which columns, and how often."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Spec:
    """One system on one table.

    Attributes:
        system: a name of `systems.SYSTEMS`.
        source: the folder of the Delta table that every round starts with a copy of.
        columns: what to cluster by.
        files: how many files to ask for.
        rounds: how often to measure.
        memory: heap of Spark's JVM, and the memory that delta-rs may use, such as `8g`.
        work: a folder of this process alone.
    """

    system: str
    source: str
    columns: list[str]
    files: int
    rounds: int
    memory: str
    work: str

    def save(self, path: Path) -> None:
        """Writes it for the measured process."""
        path.write_text(json.dumps(asdict(self), indent=1))


def load_spec(path: Path) -> Spec:
    """Reads what the orchestrator wrote."""
    return Spec(**json.loads(path.read_text()))
