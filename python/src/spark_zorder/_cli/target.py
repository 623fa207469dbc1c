# SPDX-License-Identifier: Apache-2.0

"""What `<table or path>` on the command line means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from spark_zorder.table import ZOrderTable

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

_FORMAT_AND_PATH = re.compile(r"(?P<format>delta|parquet)\.`(?P<path>(?:[^`]|``)+)`", re.IGNORECASE)
# One letter is a drive of Windows.
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


@dataclass(frozen=True)
class Target:
    """A table as the command line names it.

    Attributes:
        text: its name or path.
        is_path: whether it is a path.
        format: `delta` or `parquet`; None where the folder itself tells, and for names.
    """

    text: str
    is_path: bool
    format: str | None

    def table(self, spark: SparkSession) -> ZOrderTable:
        """Returns the table; whether it exists shows when it is used.

        Raises:
            ZOrderValueError: the text is no name (`ZORDER_INVALID_IDENTIFIER`).
            ZOrderSessionError: the session runs without the extension.
        """
        if self.is_path:
            return ZOrderTable.forPath(spark, self.text, self.format)
        return ZOrderTable.forName(spark, self.text)

    def is_delta(self) -> bool:
        """Whether this is a Delta table, as far as can be seen without Spark: by its format, or its local folder."""
        if self.format is not None:
            return self.format == "delta"
        folder = self.folder()
        return folder is not None and (folder / "_delta_log").is_dir()

    def folder(self) -> Path | None:
        """Returns the table's folder, if this is a path that can be looked at from here."""
        return _local(self.text) if self.is_path else None


def target_in(options: argparse.Namespace) -> Target:
    """Returns the table of a command line."""
    return target_of(options.table, options.format, is_local=not options.remote)


def target_of(text: str, table_format: str | None = None, *, is_local: bool = True) -> Target:
    """Tells a path from a name: it has a slash or a scheme, or is a folder that is there; in SQL's form it has both.

    Args:
        text: what the user wrote.
        table_format: `--format`; with it the text is a path.
        is_local: whether Spark looks at the folders that are here; a server elsewhere has its own.

    Example:
        >>> target_of("db.t").is_path, target_of("data/t").is_path, target_of("delta.`/data/t`")
        (False, True, Target(text='/data/t', is_path=True, format='delta'))
    """
    if found := _FORMAT_AND_PATH.fullmatch(text):
        return Target(found["path"].replace("``", "`"), is_path=True, format=table_format or found["format"].lower())
    is_quoted = text.startswith("`")
    looks_so = not is_quoted and ("/" in text or "\\" in text or _URI.match(text) is not None)
    is_folder = is_local and Path(text).is_dir()
    return Target(text, is_path=bool(table_format or looks_so or is_folder), format=table_format)


def _local(path: str) -> Path | None:
    """The folder, if it can be looked at from here: a path without a scheme may be one of another file system's."""
    if not _URI.match(path):
        return Path(path)
    uri = urlsplit(path)
    return Path(unquote(uri.path)) if uri.scheme.lower() == "file" else None
