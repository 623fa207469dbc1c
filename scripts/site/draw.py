# SPDX-License-Identifier: Apache-2.0

"""Draws the figures of the documentation into docs/images; `make figures`. Needs nothing but Python."""

from __future__ import annotations

import sys
from pathlib import Path

import draw_files
import draw_orders

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
DRAWINGS = draw_orders.DRAWINGS | draw_files.DRAWINGS


def main() -> int:
    """Writes every figure."""
    for name, draw in DRAWINGS.items():
        (IMAGES / f"{name}.svg").write_text(str(draw()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
