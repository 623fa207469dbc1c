# SPDX-License-Identifier: Apache-2.0

"""Snapshots from what users have: a table, the rows of `DESCRIBE LAYOUT EXTENDED`, or a snapshot taken before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from spark_zorder._layout.extents import Bounds, DataFile, Extents, Measure
from spark_zorder._layout.tables import DescribedTable, is_table, table_at, title_of
from spark_zorder._layout.values import Kind, key, kind_of_bounds, kind_of_type
from spark_zorder.errors import ZOrderValueError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A ZOrderTable, Extents, a pandas or Spark DataFrame, or a list of rows; pandas is not needed to import this.
Source: TypeAlias = Any

_STATEMENT = "DESCRIBE LAYOUT EXTENDED"
_NEEDED = ("file", "bytes", "column", "min", "max")


def extents(
    table: Source,
    columns: str | Sequence[str] | None = None,
    *,
    version: int | None = None,
    name: str | None = None,
) -> Extents:
    """Takes a snapshot of where a table's files lie: keep one from before OPTIMIZE, to draw it beside the table after.

    Args:
        table: a `ZOrderTable`; or the rows of `DESCRIBE LAYOUT EXTENDED` as a pandas or Spark DataFrame or a list.
        columns: the columns, written as for `describeLayout`; None takes all that have statistics.
        version: a version of a Delta table, as in its history; None for the latest.
        name: what titles call the table; None takes the table's name.

    Returns:
        The files with the columns' bounds; of a table also what `DESCRIBE LAYOUT` measures on its rows.

    Raises:
        ZOrderValueError: rows lack a column of the statement (`ZORDER_NOT_A_LAYOUT`), or do not speak of a column asked
            for (`ZORDER_COLUMN_NOT_DESCRIBED`); no column of the table has statistics
            (`ZORDER_NO_STATISTICS_OF_ANY_COLUMN`); a version of what has none (`ZORDER_NO_VERSIONS`).
        ZOrderTypeError: the argument is none of these, or columns are no strings.
        AnalysisException: the table or a column does not exist.

    Example:
        >>> before = extents(table, ["dest_lat", "dest_lon"])  # doctest: +SKIP
        >>> table.optimize().executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
        >>> extent_map(before, table, x="dest_lon", y="dest_lat").show()  # doctest: +SKIP
    """
    if version is None:
        return snapshot("table", table, columns, measured=True, name=name)
    old = table_at(table, version)
    title = name or f"{title_of(table)}, version {version}"
    return snapshot("table", old, columns, measured=True, name=title)


def snapshot(
    argument: str,
    source: Source,
    columns: str | Sequence[str] | None,
    *,
    measured: bool,
    name: str | None = None,
    most: int | None = None,
) -> Extents:
    """Returns the snapshot that a user's argument stands for.

    Args:
        argument: the argument's name, for errors.
        source: its value.
        columns: the columns that are needed; None for all.
        measured: whether a table is asked for what only its rows tell, by a job over the columns.
        name: what titles call the table; None takes the table's own name.
        most: of a table with more columns than that only the files are looked at; None measures any number.

    Raises:
        ZOrderValueError, ZOrderTypeError: as `extents`.
    """
    asked = asked_columns(columns)
    if isinstance(source, Extents):
        return _checked(argument, source, asked)
    if is_table(source):
        return _of_table(source, asked, measured=measured, name=name, most=most)
    rows = rows_of(argument, source, _NEEDED, _STATEMENT)
    return _checked(argument, _of_rows(name or "the table", rows, {}, {}), asked)


def asked_columns(columns: str | Sequence[str] | None) -> list[str] | None:
    """Returns the columns that a user's argument names; None for all.

    Raises:
        ZOrderTypeError: it is neither a string nor a list of strings.
    """
    if columns is None:
        return None
    if not isinstance(columns, Iterable):
        raise wrong_type("columns", "a string or a list of strings", columns)
    asked = [columns] if isinstance(columns, str) else list(columns)
    for column in asked:
        if not isinstance(column, str):
            raise wrong_type("A column", "a string", column)
    return asked


def rows_of(argument: str, source: Source, needed: Iterable[str], statement: str) -> list[Mapping[str, Any]]:
    """Returns the rows of a DataFrame or a list as dicts, NULL as None.

    Raises:
        ZOrderTypeError: the argument is neither.
        ZOrderValueError: a column is missing (`ZORDER_NOT_A_LAYOUT`).
    """
    # Asked of the class: a DataFrame of Spark Connect may take any name for a column.
    if hasattr(type(source), "to_dict"):
        names = [str(column) for column in source.columns]
        rows: list[Mapping[str, Any]] = source.to_dict("records")
    elif hasattr(source, "collect") and hasattr(source, "columns"):
        names = list(source.columns)
        rows = [] if set(needed) - set(names) else [row.asDict() for row in source.collect()]
    elif isinstance(source, (list, tuple)) and all(hasattr(row, "asDict") or isinstance(row, dict) for row in source):
        rows = [row.asDict() if hasattr(row, "asDict") else row for row in source]
        names = list(rows[0]) if rows else list(needed)
    else:
        raise wrong_type(argument, f"a ZOrderTable, Extents or a DataFrame of {statement}", source)
    missing = [column for column in needed if column not in names]
    if missing:
        raise ZOrderValueError("ZORDER_NOT_A_LAYOUT", argument=argument, missing=missing[0], statement=statement)
    # pandas writes NULL as NaN, which alone differs from itself.
    return [{k: None if _is_missing(v) else v for k, v in row.items()} for row in rows]


def _is_missing(value: object) -> bool:
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _of_table(
    table: DescribedTable, columns: list[str] | None, *, measured: bool, name: str | None, most: int | None
) -> Extents:
    # The extended rows first: they name a column that does not exist, before a job runs.
    rows = rows_of("table", table.describeLayout(*(columns or ()), extended=True), _NEEDED, _STATEMENT)
    # No rows: no column has statistics, or there are no files.
    if not rows and not columns and table.toDF().inputFiles():
        raise ZOrderValueError("ZORDER_NO_STATISTICS_OF_ANY_COLUMN", argument=name or title_of(table))
    described = list(dict.fromkeys(str(row["column"]) for row in rows))
    kinds = _kinds_of_table(table, described)
    wanted = measured and rows and (most is None or len(described) <= most)
    measures = _measures(table.layout(*(columns or ())).collect()) if wanted else {}
    return _of_rows(name or title_of(table), rows, kinds, measures)


def _kinds_of_table(table: DescribedTable, columns: Sequence[str]) -> dict[str, Kind]:
    schema = table.toDF().select(*columns).schema if columns else ()
    return {column: kind_of_type(field.dataType) for column, field in zip(columns, schema, strict=True)}


def _measures(rows: Iterable[Any]) -> dict[str, Measure]:
    found = {}
    for row in (row.asDict() for row in rows):
        if "depth_histogram" in row:
            found[str(row["column"])] = Measure(
                read_share=row["point_read_share"],
                is_estimated=False,
                standard_error=row.get("standard_error"),
                average_overlaps=row["average_overlaps"],
                average_depth=row["average_depth"],
                max_depth=row["max_depth"],
                depth_histogram=dict(sorted(row["depth_histogram"].items())),
                verdict=": ".join(filter(None, (row.get("verdict"), row.get("reason")))) or None,
            )
    return found


def _of_rows(
    name: str, rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind], measures: Mapping[str, Measure]
) -> Extents:
    bounds: dict[str, dict[str, Bounds]] = {}
    firsts: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        path = str(row["file"])
        firsts.setdefault(path, row)
        bounds.setdefault(path, {})[str(row["column"])] = Bounds(
            _text(row["min"]), _text(row["max"]), _whole(row.get("null_count"))
        )
    columns = tuple(dict.fromkeys(str(row["column"]) for row in rows))
    inferred = {column: kinds.get(column) or _kind_of(column, bounds.values()) for column in columns}
    absent = Bounds(None, None, None)
    files = tuple(
        DataFile(
            path,
            str(row.get("partition") or ""),
            _whole(row.get("rows")),
            int(row["bytes"]),
            _whole(row.get("row_groups")),
            {column: _comparable(bounds[path].get(column, absent), inferred[column]) for column in columns},
        )
        for path, row in firsts.items()
    )
    return Extents(name, columns, files, inferred, measures)


def _kind_of(column: str, files: Iterable[Mapping[str, Bounds]]) -> Kind:
    known = (file[column] for file in files if column in file)
    return kind_of_bounds((b.low, b.high) for b in known if b.low is not None and b.high is not None)


def _comparable(bounds: Bounds, kind: Kind) -> Bounds:
    """The bounds, without those that do not compare as the values of the file do."""
    if bounds.low is None or bounds.high is None:
        return bounds
    if kind == "opaque" or key(kind, bounds.low) > key(kind, bounds.high):
        return Bounds(None, None, bounds.null_count)
    return bounds


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _whole(value: object) -> int | None:
    return None if value is None else int(str(value).removesuffix(".0"))


def _checked(argument: str, found: Extents, columns: Sequence[str] | None) -> Extents:
    """The snapshot with the columns asked for, in that order; names differ in case and back-quotes at most."""
    if not columns:
        return found
    names = {column.replace("`", "").lower(): column for column in found.columns}
    chosen = []
    for column in columns:
        name = column if column in found.columns else names.get(column.replace("`", "").lower())
        if name is None and found.files:
            raise ZOrderValueError(
                "ZORDER_COLUMN_NOT_DESCRIBED",
                argument=argument,
                column=repr(column),
                columns=", ".join(found.columns) or "none",
            )
        chosen.append(name or column)
    return Extents(found.name, tuple(chosen), found.files, found.kinds, found.measured)
