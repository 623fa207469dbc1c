# SPDX-License-Identifier: Apache-2.0

"""One page of HTML on what a table's layout is worth."""

from __future__ import annotations

import os
import stat
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from spark_zorder._layout.source import Source, asked_columns, snapshot
from spark_zorder._report._advice import advice_of
from spark_zorder._report._example import example_of
from spark_zorder._report._page import page
from spark_zorder._table_card import ordered_by
from spark_zorder.errors import ZOrderFileExistsError, ZOrderFileNotFoundError, ZOrderValueError, wrong_type
from spark_zorder.plot._states import MOST_COLUMNS, check_count, compared
from spark_zorder.plot._style import needed, plotly
from spark_zorder.table import ZOrderTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_zorder._layout.extents import Extents


def report(
    table: Source,
    columns: str | Sequence[str] | None,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    before: Source | None = None,
    title: str | None = None,
) -> Path:
    """Writes one self-contained page of HTML: what the layout is worth, in figures, words and advice.

    The page needs no network, is light or dark, and has less than 2 MB. Runs `DESCRIBE LAYOUT` and, where there is one,
    `ADVISE LAYOUT`; changes nothing.

    Args:
        table: a `ZOrderTable`; or `plot.extents(...)`, or the rows of `DESCRIBE LAYOUT EXTENDED` as a DataFrame, which
            have no measured shares and no advice.
        columns: 1 to 16 columns, written as for `describeLayout`; None takes all that have statistics, first those of
            the table's order or last z-order if they are known, else the two by which lookups read least.
        path: the file to write.
        overwrite: whether a file that is there is replaced.
        before: an earlier state, `plot.extents(...)` taken then, to compare with; None reports on one state. If it is a
            `ZOrderTable`, too, the report runs its example query on both, for the seconds.
        title: the heading; None makes one of the table's name.

    Returns:
        The absolute path of the file.

    Raises:
        ZOrderImportError: plotly or jinja2 is not installed (`ZORDER_PLOT_NOT_INSTALLED`).
        ZOrderFileExistsError: the path exists (`ZORDER_PATH_EXISTS`); it is kept.
        ZOrderFileNotFoundError: its folder does not (`ZORDER_FOLDER_NOT_FOUND`).
        ZOrderValueError: the table has no files (`ZORDER_NO_FILES`) or no column with statistics
            (`ZORDER_NO_STATISTICS_OF_ANY_COLUMN`), there are too many columns (`ZORDER_TOO_MANY_COLUMNS`), or a column
            is not described (`ZORDER_COLUMN_NOT_DESCRIBED`).
        ZOrderTypeError: an argument is of another type.
        AnalysisException: the table or a column does not exist.

    Example:
        >>> before = plot.extents(table, ["dest_lat", "dest_lon"])  # doctest: +SKIP
        >>> table.optimize().executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
        >>> report(table, ["dest_lat", "dest_lon"], "flights.html", before=before)  # doctest: +SKIP
    """
    # What can fail without a job fails first.
    target = file_for(path, overwrite=overwrite)
    check_count("report", asked_columns(columns) or ())
    now = snapshot("table", table, columns, measured=True, most=MOST_COLUMNS)
    if not now.files:
        raise ZOrderValueError("ZORDER_NO_FILES", argument=now.name)
    check_count("report", now.columns)
    if not columns:
        now = now.beginning_with(_leading(table, now))
    earlier = None if before is None else snapshot("before", before, now.columns, measured=True)
    # What a path lacks has been said by now, of the name that the user gave.
    table, before = _spelled(table), _spelled(before)
    states = compared(now, None) if earlier is None else compared(earlier.spelled(now.columns), now)
    text = page(
        states,
        example_of(table, before, states),
        advice_of(table, now.columns),
        title or f"Layout of {now.name}",
        datetime.now().astimezone(),
    )
    _write(target, text, overwrite=overwrite)
    return target


def _spelled(source: Source) -> Source:
    """A table under one name in all statements of the page."""
    return source._spelled_for_spark() if isinstance(source, ZOrderTable) else source


def _leading(table: Source, now: Extents) -> Sequence[str]:
    """The columns to begin with: those that the layout is made for, as far as can be told."""
    order = ordered_by(table._spark, table._name_for_spark()) if isinstance(table, ZOrderTable) else ()
    shares = {column: now.measure(column).read_share for column in now.columns}
    least = sorted(now.columns, key=lambda column: 2 if (share := shares[column]) is None else share)
    return order or least[:2]


def file_for(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Returns the absolute path of a report to write; what can be found wrong without a session is found here.

    Raises:
        ZOrderImportError, ZOrderFileExistsError, ZOrderFileNotFoundError: as `report`.
        ZOrderValueError: the path is empty (`ZORDER_EMPTY_ARGUMENT`).
        ZOrderTypeError: it is no path.
    """
    plotly("graph_objects")
    needed("jinja2")
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type("path", "a string or a path", path)
    if not str(path).strip():
        raise ZOrderValueError("ZORDER_EMPTY_ARGUMENT", argument="path", hint="give the file to write")
    # What a link points to is written, not the link; and no device, which a new file would take the place of.
    target = Path(path).expanduser().resolve()
    if not target.parent.is_dir():
        raise ZOrderFileNotFoundError("ZORDER_FOLDER_NOT_FOUND", folder=str(target.parent))
    if target.exists() and not (overwrite and target.is_file()):
        raise ZOrderFileExistsError("ZORDER_PATH_EXISTS", path=str(target))
    return target


def _write(target: Path, text: str, *, overwrite: bool) -> None:
    """Writes the whole file or nothing; also what came to be there in the meantime is kept unless asked."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # As open() would have made it; a temporary file is for its owner alone.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~mask)
        if target.exists() and not overwrite:
            raise ZOrderFileExistsError("ZORDER_PATH_EXISTS", path=str(target))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
