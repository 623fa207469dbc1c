# SPDX-License-Identifier: Apache-2.0

"""What the benchmarks print while they run."""

from __future__ import annotations


def print_started(text: str) -> None:
    """Prints what happens next, at once, as it takes a while."""
    print(f"\n{text}", flush=True)
