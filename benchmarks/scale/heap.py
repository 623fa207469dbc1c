# SPDX-License-Identifier: Apache-2.0

"""What a statement takes: seconds, and heap of the driver."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


class Taken(NamedTuple):
    """Seconds, and bytes of the driver's heap: `peak` while it ran, garbage included, `held` after a collection."""

    seconds: float
    peak: int
    held: int


class Heap:
    """The heap of a session's driver."""

    def __init__(self, spark: SparkSession) -> None:
        """Takes a classic session."""
        self._jvm: Any = spark.sparkContext._jvm
        beans = self._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        self._pools = [pool for pool in beans if pool.getType().toString() == "Heap memory"]

    def of(self, run: Callable[[], object]) -> Taken:
        """What it takes to run something."""
        self._jvm.System.gc()
        for pool in self._pools:
            pool.resetPeakUsage()
        start = time.perf_counter()
        run()
        seconds = time.perf_counter() - start
        # The pools have their peaks at different moments: the sum is not exceeded.
        peak = sum(pool.getPeakUsage().getUsed() for pool in self._pools)
        return Taken(seconds, peak, self.held())

    def held(self) -> int:
        """Bytes that are in use after a collection."""
        self._jvm.System.gc()
        return sum(int(pool.getUsage().getUsed()) for pool in self._pools)
