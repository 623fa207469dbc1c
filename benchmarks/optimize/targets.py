# SPDX-License-Identifier: Apache-2.0

"""The targets: how long one of our statements may take, as a share of another system's time, on the events."""

from __future__ import annotations

DATASET = "events"
OURS = "ours-zorder"

# By ours and theirs, then by number of columns.
TARGETS: dict[tuple[str, str], dict[int, float]] = {
    (OURS, "delta-zorder"): {2: 0.40, 4: 0.35},
    (OURS, "iceberg-zorder"): {2: 0.42, 4: 0.38},
    (OURS, "delta-rs-zorder"): {2: 1.0, 4: 0.68},
    (OURS, "repartition"): {2: 0.60, 4: 0.55},
    (OURS, "copy"): {2: 0.90, 4: 0.95},
    ("ours-iceberg", "iceberg-zorder"): {2: 0.35, 4: 0.35},
}

# Mean share of files read, over files ** (-1 / columns): the most on independent columns.
FLOOR_FACTOR = 1.05


def target(dataset: str, ours: str, theirs: str, columns: int) -> float | None:
    """The target of one of our systems against another, None if there is none."""
    return TARGETS.get((ours, theirs), {}).get(columns) if dataset == DATASET else None


def floor(files: int, columns: int) -> float:
    """About the least mean share of files that a layout of independent columns reaches."""
    return float(files ** (-1 / columns))
