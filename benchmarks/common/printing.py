# SPDX-License-Identifier: Apache-2.0

"""What the benchmarks print while they run, and when they have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def print_started(text: str) -> None:
    """Prints what happens next, at once, as it takes a while."""
    print(f"\n{text}", flush=True)


def keep_report(report: str, out: Path) -> None:
    """Writes a report, and prints it with the name of its file."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(report)
    print(f"\n{report}\n{out}")
