# SPDX-License-Identifier: Apache-2.0

"""Times writes of the same rows in several ways."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from common.processes import Stopwatch
from common.sessions import CATALOG
from sorting.ways import WAYS, statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sorting.data import Source
    from sorting.ways import Way


# Delta's OPTIMIZE would else make one file of a table of this size.
DELTA_FILE_BYTES = 16 << 20


@dataclass(frozen=True)
class Layout:
    """The sizes that all systems write by.

    Attributes:
        page_rows: most rows of a page.
        row_group_bytes: the size of a row group to aim at.
    """

    page_rows: int
    row_group_bytes: int

    def set_for(self, spark: SparkSession) -> None:
        """Has Spark's own Parquet writer, and Delta's, which is the same, write so; Delta's files, too."""
        spark.conf.set("parquet.page.row.count.limit", str(self.page_rows))
        spark.conf.set("parquet.block.size", str(self.row_group_bytes))
        spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(DELTA_FILE_BYTES))

    def properties(self, way: Way) -> dict[str, str]:
        """The properties of a table that has them for itself."""
        if way.format != "iceberg":
            return {}
        return {
            "write.parquet.page-row-limit": str(self.page_rows),
            "write.parquet.row-group-size-bytes": str(self.row_group_bytes),
            "write.parquet.compression-codec": "snappy",
            "write.distribution-mode": "none",
        }


class Tables:
    """Tables of one session."""

    def __init__(self, spark: SparkSession, layout: Layout) -> None:
        """Takes a session, which it sets up."""
        self._spark = spark
        self._layout = layout
        layout.set_for(spark)

    def name(self, way: Way, source: Source) -> str:
        """The name of the table that is written in this way."""
        own = f"sorting.{source.view}_{way.name.replace('-', '_')}"
        return f"{CATALOG}.{own}" if way.format == "iceberg" else own

    def write(self, way: Way, source: Source, rows: DataFrame, columns: Sequence[str]) -> dict[str, Any]:
        """Makes the table anew.

        Returns:
            The measures of the timed statements, bytes and number of its files.
        """
        table = self.name(way, source)
        schema = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in rows.schema.fields)
        properties = self._layout.properties(way)
        sql = statements(way, table, schema, columns, source.view, properties)
        self._drop(table, way)
        for statement in sql.prepare:
            self._spark.sql(statement).collect()
        os.sync()
        self._spark.sparkContext._jvm.System.gc()  # type: ignore[union-attr]
        watch = Stopwatch()
        for statement in sql.timed:
            self._spark.sql(statement).collect()
        measure = watch.stop()
        files = self.files(way, source)
        size = sum(path.stat().st_size for path in files)
        print(f"{table}: {measure.wall_seconds:.1f} s, {measure.cpu_seconds:.1f} s of CPU", flush=True)
        return asdict(measure) | {"files": len(files), "bytes": size}

    def files(self, way: Way, source: Source) -> list[Path]:
        """The table's live files."""
        table = self.name(way, source)
        if way.format == "iceberg":
            found = [row.file_path for row in self._spark.sql(f"SELECT file_path FROM {table}.files").collect()]
        else:
            found = self._spark.table(table).inputFiles()
        return sorted(Path(unquote(urlparse(path).path)) for path in found)

    def _drop(self, table: str, way: Way) -> None:
        """Without what DROP TABLE may leave behind, which would be in the way of the next."""
        database = f"{CATALOG}.sorting" if way.format == "iceberg" else "sorting"
        self._spark.sql(f"CREATE DATABASE IF NOT EXISTS {database}")
        self._spark.sql(f"DROP TABLE IF EXISTS {table}")
        if way.format != "iceberg":
            warehouse = Path(urlparse(str(self._spark.conf.get("spark.sql.warehouse.dir"))).path)
            shutil.rmtree(warehouse / "sorting.db" / table.split(".")[-1], ignore_errors=True)


def timed(
    tables: Tables, ways: Sequence[str], source: Source, rows: DataFrame, rounds: int
) -> Mapping[str, list[dict[str, Any]]]:
    """Writes in all ways in turns: a round that is not counted, and the measured ones.

    Returns:
        For each way its rounds; the tables of the last round are left.
    """
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ways}
    for number in range(-1, rounds):
        for name in ways:
            once = tables.write(WAYS[name], source, rows, source.columns)
            if number >= 0:
                found[name].append(once)
    return found
