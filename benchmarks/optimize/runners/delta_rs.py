# SPDX-License-Identifier: Apache-2.0

"""delta-rs: `DeltaTable.optimize.z_order`, without a JVM."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import deltalake

from optimize import delta_log

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from optimize.spec import Spec

_UNITS = {"g": 1 << 30, "m": 1 << 20, "k": 1 << 10}


class DeltaRsRunner:
    """delta-rs with Spark's codec and as much memory as Spark's heap.

    It encodes the same rows in more bytes than Spark and closes a file before the size that it was told, so that it
    makes a third more files than asked unless that size is calibrated.
    """

    calibrates = True

    def __init__(self, spec: Spec) -> None:
        """Takes what to run."""
        self._spec = spec
        self._memory = int(spec.memory[:-1]) * _UNITS[spec.memory[-1].lower()]

    def versions(self) -> dict[str, str]:
        """The version of the package `deltalake`."""
        return {"deltalake": deltalake.__version__}

    def prepare(self, source: Path, target: Path, files: int, file_bytes: int) -> Callable[[], object]:
        """A copy of the table, and z_order."""
        shutil.copytree(source, target)
        properties = deltalake.WriterProperties(compression="SNAPPY")
        return lambda: deltalake.DeltaTable(str(target)).optimize.z_order(
            self._spec.columns,
            target_size=file_bytes,
            max_spill_size=self._memory,
            writer_properties=properties,
        )

    def live_files(self, target: Path) -> list[Path]:
        """The live files of a Delta table."""
        return delta_log.live_files(target)

    def collect_garbage(self) -> None:
        """There is none."""

    def close(self) -> None:
        """There is nothing to end."""


def runner(spec: Spec) -> DeltaRsRunner:
    """Takes what to run; there is nothing to start."""
    return DeltaRsRunner(spec)
