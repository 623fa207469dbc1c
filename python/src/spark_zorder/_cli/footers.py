# SPDX-License-Identifier: Apache-2.0

"""`layout` and `files` without Spark, where footers alone tell the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from spark_zorder import _footers, _inherited
from spark_zorder._cli.answer import Answer, document_of
from spark_zorder._grid import grid_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from spark_zorder._cli.target import Target

_Answered = TypeVar("_Answered")

# Options that say how Spark is to be started; one of them asks for it.
_OF_SPARK = (
    "spark",
    "remote",
    "conf",
    "master",
    "packages",
    "jars",
    "properties_file",
    "driver_memory",
    "delta",
    "iceberg",
    "debug",
)
# Settings of a cluster's files, by which a path may be one of another file system, and of Java's own, as a time zone.
_VARIABLES = (
    "HADOOP_CONF_DIR",
    "YARN_CONF_DIR",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "SPARK_SUBMIT_OPTS",
)
_JAVA = ("spark.driver.extraJavaOptions", "spark.driver.defaultJavaOptions")
# Of all settings these alone change nothing that is read.
_HARMLESS = ("spark.sql.extensions", "spark.sql.catalog", "spark.sql.warehouse.dir")


def layout(options: argparse.Namespace, target: Target) -> Answer | None:
    """Returns the answer of `layout`; None where Spark is to be asked."""
    if options.json:
        rows = _asked(options, target, _footers.layout_of)
        return None if rows is None else Answer(document_of("layout", rows, table=options.table))
    found = _asked(options, target, _footers.layout_for_people)
    if found is None:
        return None
    names, cells = found
    rows = [dict(zip(names, row, strict=True)) for row in cells]
    return Answer(document_of("layout", rows, table=options.table), [grid_of(names, cells)])


def files(options: argparse.Namespace, target: Target) -> Answer | None:
    """Returns the answer of `files`; None where Spark is to be asked."""
    rows = _asked(options, target, _footers.files_of)
    if not rows:
        return None
    grid = grid_of(list(rows[0]), [list(row.values()) for row in rows])
    return Answer(document_of("files", rows, table=options.table), [grid])


def _asked(
    options: argparse.Namespace, target: Target, read: Callable[[str, Sequence[str]], _Answered]
) -> _Answered | None:
    # A path with a colon is a URI, or none of Hadoop's.
    if target.folder() is None or ":" in target.text or target.format is not None or options.where is not None:
        return None
    if any(getattr(options, name) for name in _OF_SPARK) or any(os.environ.get(name) for name in _VARIABLES):
        return None
    if any(_matters(key) for key in {**_inherited.defaults(None), **_inherited.submit_args(_submitted())}):
        return None
    if (_inherited.conf_folder() / "core-site.xml").exists():
        return None
    try:
        return read(target.text, options.on)
    except _footers.NotCertain:
        return None


def _submitted() -> str:
    return os.environ.get(_inherited.SUBMIT_ARGS, "")


def _matters(key: str) -> bool:
    matters = ("spark.sql.", "spark.hadoop.", *_JAVA, _inherited.PROPERTIES_FILE)
    return key.startswith(matters) and not key.startswith(_HARMLESS)
