# SPDX-License-Identifier: Apache-2.0

"""What `bench.py` prints as each system has run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.tables import number
from optimize.summary import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping


def print_result(result: Mapping[str, Any], ours: Mapping[str, Any] | None) -> None:
    """Prints one line for a system that has run, with the ratio of our time to its own."""
    label = f"  {result['label']:<36}"
    if result["error"]:
        print(f"{label} FAILED: {result['error']}", flush=True)
        return
    took, share = result["medians"], result["mean_shares"]["files"]
    print(
        f"{label}{took['wall_seconds']:8.1f} s {took['cpu_seconds']:8.1f} s CPU {took['files_out']:6.0f} files"
        f"   reads {number(share, 3)}   ours / theirs {number(ratio(ours, result), 2)}"
        f"{'' if result['same_rows'] else '   ROWS DIFFER FROM THE SOURCE'}",
        flush=True,
    )
