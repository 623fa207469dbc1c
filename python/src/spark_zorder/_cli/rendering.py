# SPDX-License-Identifier: Apache-2.0

"""Writes an answer to the standard output: boxes on a terminal, plain aligned columns elsewhere, or JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from spark_zorder._grid import plain

if TYPE_CHECKING:
    from spark_zorder._cli.answer import Answer
    from spark_zorder._grid import Grid


def write(answer: Answer, *, as_json: bool) -> None:
    """Prints an answer.

    Args:
        answer: the answer.
        as_json: one JSON document in place of what people read.
    """
    if hasattr(sys.stdout, "reconfigure"):
        # A statement that is done does not fail for a character that the terminal lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    if as_json:
        print(json.dumps(answer.document, indent=2, allow_nan=False))
    elif answer.raw is not None:
        print(answer.raw)
    else:
        for grid in answer.grids:
            _write_grid(grid)
        for note in answer.notes:
            print(note)


def _write_grid(grid: Grid) -> None:
    if not sys.stdout.isatty():
        print(plain(grid))
        return
    try:
        from rich.box import ROUNDED
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        # Installed without what it depends on.
        print(plain(grid))
        return
    table = Table(box=ROUNDED, header_style="bold")
    for column in grid.columns:
        table.add_column(column, justify="right" if column in grid.numbers else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*row)
    # The texts are data: brackets in them are no markup, and nothing in them is coloured.
    Console(markup=False, emoji=False, highlight=False).print(table)
