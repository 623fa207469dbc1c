# SPDX-License-Identifier: Apache-2.0

"""What tables of very many files are to take at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTHING = "incremental OPTIMIZE, nothing to do"
_LARGE = 500_000  # files; above, the marks of a million hold


class Mark(NamedTuple):
    """A line of the table: what it is of, what was found, the most, and whether that is kept."""

    name: str
    found: str
    most: str
    verdict: str


def marks(results: Mapping[str, Any]) -> list[Mark]:
    """Of what was measured; nothing of what failed or was left out."""
    found, is_large = results["found"], results["flags"]["files"] >= _LARGE
    planned = found.get("parquet_first", {})
    made: list[Mark] = []
    for one in planned.get("plans", []):
        if one["by_index"]:
            without = _seconds_without(planned, one["asked"])
            made.append(_mark(f"warm: {one['asked']}, by the index / without", one["seconds"] / without, 1.3, ""))
    if "first" in planned:
        made.append(_mark("cold: the first plan of a JVM", planned["first"]["seconds"], 10 if is_large else 3, " s"))
        made.append(_mark("cold: a new version of the index", planned["again"]["seconds"], 10 if is_large else 3, " s"))
        held = max(one["peak"] for one in (planned["first"], planned["again"], planned["listing"]))
        if is_large:
            # The peaks of its pools, which they have at different moments, or all that there is.
            heap = min(held / 1024**3, _gib(results["flags"]["memory"]))
            made.append(_mark("heap, at its peak", heap, 2, " GiB"))
    for role in ("parquet_path", "parquet_catalog", "delta"):
        done = found.get(role, {}).get("statements", {})
        if _NOTHING in done and not is_large:
            made.append(_mark(f"nothing to do, {role.replace('_', ', ')}", done[_NOTHING]["seconds"], 10, " s"))
    return made


def _gib(memory: str) -> float:
    """Of a heap as the JVM is given it, such as `2g`."""
    return float(memory[:-1]) / {"g": 1, "m": 1024}[memory[-1].lower()]


def _seconds_without(planned: Mapping[str, Any], asked: str) -> float:
    return next(float(one["seconds"]) for one in planned["plans"] if one["asked"] == asked and not one["by_index"])


def _mark(name: str, found: float, most: float, unit: str) -> Mark:
    return Mark(name, f"{found:.2f}{unit}", f"{most:g}{unit}", "kept" if found <= most else "MISSED")
