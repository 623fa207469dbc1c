# SPDX-License-Identifier: Apache-2.0

"""The targets: how long spark-zorder's statement may take, as a share of another system's time, on the events."""

from __future__ import annotations

DATASET = "events"
OURS = "ours-zorder"

# By system, then by number of columns.
TARGETS: dict[str, dict[int, float]] = {
    "delta-zorder": {2: 0.40, 4: 0.35},
    "iceberg-zorder": {2: 0.42, 4: 0.38},
    "delta-rs-zorder": {2: 1.0, 4: 0.68},
    "repartition": {2: 0.60, 4: 0.55},
    "copy": {2: 0.90, 4: 0.95},
}

# Mean share of files read, over files ** (-1 / columns): the most on independent columns.
FLOOR_FACTOR = 1.05


def target(dataset: str, system: str, columns: int) -> float | None:
    """The target against a system, None if there is none."""
    return TARGETS.get(system, {}).get(columns) if dataset == DATASET else None


def floor(files: int, columns: int) -> float:
    """About the least mean share of files that a layout of independent columns reaches."""
    return float(files ** (-1 / columns))
