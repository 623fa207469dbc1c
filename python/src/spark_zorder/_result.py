# SPDX-License-Identifier: Apache-2.0

"""What notebooks show of results: a small table, where PySpark shows the types of a DataFrame's columns."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_zorder._grid import grid_of
from spark_zorder._html import bar, escaped, framed, remark, rows_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from spark_zorder._grid import Grid

MOST_ROWS = 50
_GAIN = ("layout", "summary")
# Advice: their texts are long and stand below the table.
_BELOW = ("statement", "warnings")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?) %")
_STYLE = "padding:2px 12px 2px 0;vertical-align:top"


def readable(data: DataFrame) -> DataFrame:
    """Makes notebooks show a result as a table, and returns it; it stays the DataFrame that it is.

    A statement has run when its DataFrame is there, so that showing it runs nothing; a table function runs when it is
    shown. What is made of the result, by `select` and the like, is shown as PySpark shows it.

    Args:
        data: the DataFrame, classic or Connect.
    """
    # A look is not worth that a statement fails which has been carried out.
    with suppress(Exception):
        # A DataFrame of Spark Connect takes any name for a column's, and IPython asks nothing of what has an attribute
        # of this name.
        vars(data)["_ipython_canary_method_should_not_exist_"] = None
        vars(data)["_repr_html_"] = partial(_shown, data)
    return data


def _shown(data: DataFrame) -> str | None:
    try:
        rows = data.take(MOST_ROWS + 1)
        more = data.count() - MOST_ROWS if len(rows) > MOST_ROWS else 0
        return result_html(data.columns, rows[:MOST_ROWS], more)
    except Exception:
        with suppress(Exception):
            return type(data)._repr_html_(data)
        return None


def result_html(columns: Sequence[str], rows: Sequence[Any], more: int = 0) -> str:
    """Returns the HTML of a result; every text in it is escaped.

    Args:
        columns: the result's columns; the words of a name tell its unit, as for `grid_of`.
        rows: Spark's rows, in the order of the columns.
        more: number of rows that are left out.
    """
    if set(_GAIN) <= set(columns):
        return framed(*(_gain_html(row) for row in rows))
    shown = [name for name in columns if name not in _BELOW] if set(_BELOW) <= set(columns) else list(columns)
    below = _advice_html(rows) if len(shown) < len(columns) else ""
    left_out = f"... and {more:,} more {'row' if more == 1 else 'rows'}." if more else "" if rows else "No rows."
    return framed(_table(shown, [[row[name] for name in shown] for row in rows]), remark(left_out), below)


def _gain_html(row: Any) -> str:  # noqa: ANN401 - a row of OPTIMIZE
    """OPTIMIZE's row: its summary, and what each column gained."""
    summary = f"<div><b>{escaped(row['summary'] or '')}</b></div>"
    gains = row["layout"]
    return summary + (_table(gains[0].__fields__, gains) if gains else "")


def _advice_html(rows: Sequence[Any]) -> str:
    """The statement of the best row, and the warnings of all."""
    if not rows:
        return ""
    warnings = dict.fromkeys(warning for row in rows for warning in row["warnings"] or ())
    statement = rows[0]["statement"]
    best = f'<div style="margin-top:4px">Run: <code>{escaped(statement)}</code></div>' if statement else ""
    return best + "".join(remark(f"Note: {warning}") for warning in warnings)


def grid_html(grid: Grid) -> str:
    """Returns the HTML of a table of texts; every text in it is escaped."""
    return framed(_grid_table(grid))


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return _grid_table(grid_of(columns, rows))


def _grid_table(grid: Grid) -> str:
    cells = [_share_cell if "share" in name.split() else _cell for name in grid.columns]
    sides = ["right" if name in grid.numbers else "left" for name in grid.columns]
    head = "".join(
        f'<th scope="col" style="{_STYLE};text-align:{side}">{escaped(name)}</th>'
        for name, side in zip(grid.columns, sides, strict=True)
    )
    body = ["".join(cell(text, side) for cell, text, side in zip(cells, row, sides, strict=True)) for row in grid.rows]
    return rows_table([f"<tr>{row}</tr>" for row in body], f"<tr>{head}</tr>")


def _cell(text: str, side: str, below: str = "") -> str:
    # A number and its unit stay on one line.
    kept = ";white-space:nowrap" if side == "right" else ""
    return f'<td style="{_STYLE};text-align:{side}{kept}">{escaped(text)}{below}</td>'


def _share_cell(text: str, side: str) -> str:
    share = _PERCENT.fullmatch(text)
    return _cell(text, side, bar(float(share[1]) / 100) if share else "")
