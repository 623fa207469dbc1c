# SPDX-License-Identifier: Apache-2.0

"""What notebooks show of a table or a snapshot of one: a small card."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spark_zorder._html import bar, escaped, framed, remark, rows_table
from spark_zorder.plot._style import percent_text, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_zorder.plot._layout.extents import Extents

ESTIMATED = "Share of the files that a point lookup reads, estimated from their ranges."


@dataclass(frozen=True)
class Card:
    """What is known of a table; facts that are not are left out.

    Attributes:
        name: the table's name.
        facts: by label, as text.
        shares: share of the files that a point lookup reads, 0 to 1, by column; None where not known.
        note: a sentence on the shares.
    """

    name: str
    facts: Mapping[str, str]
    shares: Mapping[str, float | None] = field(default_factory=dict)
    note: str = ""

    def html(self) -> str:
        """The card, in the notebook's own colours; every text is escaped."""
        facts = " · ".join(f"{escaped(label)} <b>{escaped(value)}</b>" for label, value in self.facts.items())
        name = f'<b style="font-family:monospace;overflow-wrap:anywhere">{escaped(self.name)}</b>'
        shares = rows_table([_share_row(column, share) for column, share in self.shares.items()])
        return framed(f"<div>{name}</div><div>{facts}</div>", shares, remark(self.note))


def card_of_extents(extents: Extents) -> Card:
    """Returns the card of a snapshot."""
    facts = {"files": f"{len(extents.files):,}", "size": size_text(extents.size)}
    if extents.rows is not None:
        facts["rows"] = f"{extents.rows:,}"
    note = "Share of the files that a point lookup reads." if extents.measured else ESTIMATED
    return Card(extents.name, facts, shares_of(extents), note if extents.files else "")


def shares_of(extents: Extents) -> dict[str, float | None]:
    """By column, the share of files that a point lookup reads; none where there are no files."""
    return {column: extents.measure(column).read_share for column in extents.columns} if extents.files else {}


def _share_row(column: str, share: float | None) -> str:
    return (
        f'<tr><td style="padding:1px 12px 1px 0;text-align:left;font-family:monospace">{escaped(column)}</td>'
        f'<td style="padding:1px 8px 1px 0">{bar(share)}</td>'
        f'<td style="padding:1px 0;text-align:left">{escaped(percent_text(share))}</td></tr>'
    )
