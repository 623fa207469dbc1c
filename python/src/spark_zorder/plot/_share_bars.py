# SPDX-License-Identifier: Apache-2.0

"""The share of the files that point lookups read, by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder._html import plain
from spark_zorder._numbers import percent_text
from spark_zorder.plot._shares import LabelledShares, shares_of
from spark_zorder.plot._states import LEGEND, check_count, marker
from spark_zorder.plot._style import finish, plotly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from spark_zorder._layout.source import Source


def read_shares(before: Source, after: Source | None = None, *, columns: str | Sequence[str] | None = None) -> Figure:
    """Draws the share of the files that a point lookup reads, by column, before and after.

    Args:
        before: a `ZOrderTable`, `extents(...)`, or as a DataFrame: the row that OPTIMIZE returned, which has both
            states in it, the rows of `DESCRIBE LAYOUT`, or those of `DESCRIBE LAYOUT EXTENDED`, from whose ranges the
            shares are estimated.
        after: the same for a second state; None draws what `before` holds.
        columns: the columns; None for all.

    Raises:
        ZOrderImportError: plotly is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderValueError: no files (`ZORDER_NO_FILES`), more than 16 columns (`ZORDER_TOO_MANY_COLUMNS`), or as
            `extents`.

    Example:
        >>> read_shares(table.optimize().executeZOrderBy("dest_lat", "dest_lon")).show()  # doctest: +SKIP
    """
    plotly("graph_objects")
    return draw_shares(shares_of(before, after, columns))


def draw_shares(found: Sequence[LabelledShares]) -> Figure:
    """Draws one set of horizontal bars for each state."""
    columns = list(dict.fromkeys(column for state in found for column in state.shares))
    check_count("read_shares", columns)
    figure = plotly("graph_objects").Figure()
    for state in found:
        shares = [state.shares.get(column) for column in columns]
        figure.add_bar(
            orientation="h",
            y=[plain(column) for column in columns],
            # Without a bar there would be no place for the word unknown.
            x=[100 * share if share is not None else 0 for share in shares],
            text=[percent_text(share) for share in shares],
            textposition="outside",
            cliponaxis=False,
            hovertext=[
                f"<b>{plain(c)}</b>{_of(state)}: {percent_text(s)}" for c, s in zip(columns, shares, strict=True)
            ],
            hoverinfo="text",
            name=state.label or "share read",
            marker=marker(state.color, state.pattern),
            textfont={"size": 12},
        )
    figure.update_layout(showlegend=len(found) > 1, bargap=0.35, bargroupgap=0.08)
    figure.update_xaxes(title="share of the files read", range=[0, 120])
    figure.update_xaxes(tickvals=[0, 25, 50, 75, 100], ticktext=["0 %", "25 %", "50 %", "75 %", "100 %"])
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    name = found[-1].name
    estimated = any(state.is_estimated for state in found)
    subtitle = "Average over the values of the rows." + (
        " Estimated from the files' ranges, as if rows lay evenly in them." if estimated else ""
    )
    description = "Share of the files that a point lookup reads. " + " ".join(
        f"{column}: " + ", ".join(f"{percent_text(s.shares.get(column))}{_of(s)}" for s in found) + "."
        for column in columns
    )
    height = 70 + len(columns) * (30 + 18 * len(found))
    return finish(figure, f"What point lookups read of {name}", subtitle, description, height=height, room_above=LEGEND)


def _of(state: LabelledShares) -> str:
    return f" {state.label}" if state.label else ""
