# SPDX-License-Identifier: Apache-2.0

"""The extension is taken away, by the steps of docs/platforms.md: Spark without the jar reads and writes all tables."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from launching import DELTA, DELTA_CATALOG, ZORDER, answers, delta_jars, settings, small

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = "(id BIGINT, x BIGINT, p BIGINT)"
ROWS = "SELECT id, id * 37 % 1000 x, id % 2 p FROM range({first}, {last})"
PROPERTIES = "('sort.columns', 'sort.order', 'sort.scope', 'sort.key')"
pytestmark = pytest.mark.long


def created(form: str, path: Path, more: str = "") -> str:
    return f"CREATE TABLE {path.name} {COLUMNS} USING {form} PARTITIONED BY (p) LOCATION '{path}' {more}"


def tags(path: Path) -> list[dict[str, str]]:
    """Of the files that the table has now, by its log."""
    files: dict[str, dict[str, str]] = {}
    for log in sorted((path / "_delta_log").glob("*.json")):
        for action in map(json.loads, log.read_text().splitlines()):
            if "add" in action:
                files[action["add"]["path"]] = action["add"].get("tags") or {}
            files.pop(action.get("remove", {}).get("path"), None)
    return [of_file for of_file in files.values() if "io.sparkzorder.clustering" in of_file]


def with_the_extension(folder: Path, base: Path) -> None:
    """Makes a table of each format, ordered and clustered, and leaves the Parquet table as the page says."""
    folder.mkdir()
    statements = []
    for form in ("parquet", "delta"):
        path = base / f"{form}_left"
        statements += [
            created(form, path, "SORT BY ZORDER (id, x)"),
            f"INSERT INTO {path.name} {ROWS.format(first=0, last=500)}",
            f"OPTIMIZE {path.name} ZORDER OPTIONS (target_file_size = '3k', batch_size = '4k')",
        ]
    statements.append("ANALYZE TABLE parquet_left COMPUTE FILE STATISTICS")
    replies = answers(folder, settings(folder, [DELTA, ZORDER]), [(statement, None) for statement in statements])
    assert [reply for reply in replies if isinstance(reply, dict)] == []


def test_spark_without_the_jar_reads_and_writes_what_it_leaves(tmp_path: Path) -> None:
    with_the_extension(tmp_path / "with", tmp_path)
    left, delta, gone = (tmp_path / name for name in ("parquet_left", "delta_left", "parquet_gone"))
    assert (left / "_zorder").is_dir()
    assert tags(delta)
    # Step 3, of one of two copies: the other stays as it is.
    shutil.copytree(left, gone, copy_function=shutil.copy2)
    shutil.rmtree(gone / "_zorder")

    folder = tmp_path / "without"
    folder.mkdir()
    conf = {"spark.jars": ",".join(delta_jars()), "spark.sql.extensions": DELTA, **small(folder)}
    statements = []
    for path in (left, gone, delta):
        own = "" if path is delta else "TBLPROPERTIES ('sort.columns' = 'id,x', 'sort.order' = 'ZORDER')"
        statements += [
            created("delta" if path is delta else "parquet", path, own),
            *([] if path is delta else [f"MSCK REPAIR TABLE {path.name}"]),
            f"INSERT INTO {path.name} {ROWS.format(first=500, last=600)}",
            # Step 2, as it is done without the extension.
            f"ALTER TABLE {path.name} UNSET TBLPROPERTIES IF EXISTS {PROPERTIES}",
            *([f"OPTIMIZE {path.name}"] if path is delta else []),
            f"SELECT count(*), count(DISTINCT id), sum(x) FROM {path.name}",
            f"SHOW TBLPROPERTIES {path.name}",
        ]
    conf["spark.sql.catalog.spark_catalog"] = DELTA_CATALOG
    replies = answers(folder, conf, [(statement, None) for statement in statements])

    assert [reply for reply in replies if isinstance(reply, dict)] == []
    of = dict(zip(statements, replies, strict=True))
    for path in (left, gone, delta):
        (counts,) = of[f"SELECT count(*), count(DISTINCT id), sum(x) FROM {path.name}"]
        assert counts == [600, 600, sum(n * 37 % 1000 for n in range(600))]
        assert not [key for key, _ in of[f"SHOW TBLPROPERTIES {path.name}"] if key.startswith("sort.")]
    # Delta's own statement has written files without our tags.
    assert tags(delta) == []
