# SPDX-License-Identifier: Apache-2.0

"""What a command has found out: tables and sentences for people, a document for programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spark_zorder._cli.values import jsonable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_zorder._grid import Grid


@dataclass(frozen=True)
class Answer:
    """The result of a command.

    Attributes:
        document: what `--json` writes.
        grids: tables, in order.
        notes: sentences below the tables.
        raw: text that is printed as it is, in place of all this: scripts, settings, paths.
        code: the exit code.
    """

    document: Mapping[str, Any]
    grids: Sequence[Grid] = ()
    notes: Sequence[str] = field(default=())
    raw: str | None = None
    code: int = 0


def document_of(command: str, rows: Sequence[Any], **asked: str) -> dict[str, Any]:
    """Returns the document of a command that answers with rows, of what was asked for."""
    return {"command": command, **asked, "rows": [jsonable(row) for row in rows]}
