# SPDX-License-Identifier: Apache-2.0

"""A folder of Parquet files, as its footers tell of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_zorder._footers.bounds import Bounds, bounds_of, require_known_writer
from spark_zorder._footers.clusterings import clusterings_of
from spark_zorder._footers.columns import StoredColumn, columns_of
from spark_zorder._footers.doubt import NotCertain
from spark_zorder._footers.folder import data_files, log_of, partition_columns
from spark_zorder._layout.ranges import NO_VALUE, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

# As many as a z-order can have; of more the statement says that they are too many.
_MOST_COLUMNS = 16


@dataclass(frozen=True)
class FooterFile:
    """A data file.

    Attributes:
        path: in the table.
        size: bytes.
        metadata: pyarrow's `FileMetaData`.
    """

    path: str
    size: int
    metadata: Any
    _bounds: dict[StoredColumn, Bounds] = field(default_factory=dict, compare=False, repr=False)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.metadata.num_rows)

    @property
    def row_groups(self) -> int:
        """Number of row groups."""
        return int(self.metadata.num_row_groups)

    def bounds(self, column: StoredColumn) -> Bounds:
        """Returns the bounds of a column."""
        if column not in self._bounds:
            self._bounds[column] = bounds_of(self.metadata, column)
        return self._bounds[column]

    def range(self, column: StoredColumn) -> Any:  # noqa: ANN401
        """Returns the least and greatest key of a column, or which of `UNKNOWN` and `NO_VALUE` it is."""
        known = self.bounds(column)
        if known.low is not None and known.high is not None:
            return column.key(known.low), column.key(known.high)
        return NO_VALUE if known.nulls == self.rows else UNKNOWN


@dataclass(frozen=True)
class FooterTable:
    """A folder of Parquet files.

    Attributes:
        root: the folder.
        name: the folder as Spark's messages call it.
        files: its data files, by their paths.
        columns: those with statistics.
        clusterings: by which columns files are laid out, of each file of which that is known.
    """

    root: Path
    name: str
    files: Sequence[FooterFile]
    columns: Sequence[StoredColumn]
    clusterings: Sequence[tuple[tuple[str, ...], ...]]
    _log: frozenset[str]

    def described(self, names: Sequence[str]) -> list[StoredColumn]:
        """Returns the columns of these names, all without any.

        Raises:
            NotCertain: a name is not spelled as the files do, or there are too many.
        """
        if not names:
            return list(self.columns)
        by_name = {column.name: column for column in self.columns}
        if len(set(names)) < len(names) or len(names) > _MOST_COLUMNS or not set(names) <= set(by_name):
            raise NotCertain("the columns are not these of the files")
        return [by_name[name] for name in names]

    def require_unchanged(self) -> None:
        """Checks that no rewrite began or ended since the files were listed.

        Raises:
            NotCertain: one did, or files came or went.
        """
        if log_of(self.root) != self._log or data_files(self.root) != [file.path for file in self.files]:
            raise NotCertain("the table is being changed")


def open_table(folder: str | Path) -> FooterTable:
    """Reads the footers of a folder's files.

    Raises:
        NotCertain: the folder is none of plain Parquet files, a rewrite of it is open, or its files are not all of one
            schema that Spark surely reads so.
    """
    import pyarrow.parquet as pq

    root = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay links, as for Spark
    if not re.fullmatch(r"[A-Za-z0-9_./ +=,-]+", str(root)):
        raise NotCertain("the path has special characters")
    log = log_of(root)
    paths = data_files(root)
    files = [FooterFile(path, (root / path).stat().st_size, pq.read_metadata(root / path)) for path in paths]
    first = files[0]
    columns = columns_of(first.metadata)
    for file in files:
        require_known_writer(file.metadata)
        if not file.metadata.schema.equals(first.metadata.schema) or columns_of(file.metadata) != columns:
            raise NotCertain("the files have not all the same columns")
    in_files = {name.lower() for name in first.metadata.schema.to_arrow_schema().names}
    if not columns or any(name.lower() in in_files for name in partition_columns(first.path)):
        raise NotCertain("no column has statistics, or files have a column of the partitions")
    # Spark qualifies a relative path, and leaves an absolute one as it was written.
    name = str(folder) if Path(folder).is_absolute() else f"file:{root}"
    return FooterTable(root, name, files, columns, clusterings_of(root, paths), log)
