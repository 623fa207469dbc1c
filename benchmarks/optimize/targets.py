# SPDX-License-Identifier: Apache-2.0

"""The targets: how long spark-zorder's statement may take, as a share of another system's time, on the events."""

from __future__ import annotations

DATASET = "events"
OURS = "ours-zorder"

# By system, then by number of columns.
TARGETS: dict[str, dict[int, float]] = {
    "delta-zorder": {2: 0.55, 4: 0.45},
    "iceberg-zorder": {2: 0.5, 4: 0.5},
    "delta-rs-zorder": {2: 1.0, 4: 0.75},
    "repartition": {2: 0.9, 4: 0.9},
    "copy": {2: 1.5, 4: 1.5},
}

# Mean share of files read, over files ** (-1 / columns): the most on independent columns.
FLOOR_FACTOR = 1.05


def target(dataset: str, system: str, columns: int) -> float | None:
    """The target against a system, None if there is none."""
    return TARGETS.get(system, {}).get(columns) if dataset == DATASET else None


def floor(files: int, columns: int) -> float:
    """About the least mean share of files that a layout of independent columns reaches."""
    return float(files ** (-1 / columns))
