# SPDX-License-Identifier: Apache-2.0

"""Iceberg's `rewrite_data_files` with `zorder`, on a table of the very files of the Delta table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from common.places import bench_jars
from optimize import delta_log
from optimize.runners.spark_runner import SparkRunner, builder

if TYPE_CHECKING:
    from collections.abc import Callable

    from optimize.spec import Spec

_CATALOG = "local"
_PROPERTIES = "'write.parquet.compression-codec' = 'snappy'"


class IcebergRunner(SparkRunner):
    """An Iceberg table in a catalog of its own."""

    def versions(self) -> dict[str, str]:
        """Spark's, and Iceberg's."""
        return super().versions() | {"iceberg": Path(bench_jars("iceberg")[0]).stem.rsplit("-", 1)[1]}

    def prepare(self, source: Path, target: Path, files: int, file_bytes: int) -> Callable[[], object]:
        """Copies the files, makes them a table without rewriting them, and returns the call."""
        data = target / "data"
        data.mkdir(parents=True)
        for path in delta_log.live_files(source):
            shutil.copy2(path, data / path.name)
        name = _name(target)
        schema = self._ddl(data)
        self.spark.sql(f"CREATE TABLE {name} ({schema}) USING iceberg TBLPROPERTIES ({_PROPERTIES})")
        self.spark.sql(
            f"CALL {_CATALOG}.system.add_files(table => '{name}', source_table => '`parquet`.`{data}`')"
        ).collect()
        call = (
            f"CALL {_CATALOG}.system.rewrite_data_files(table => '{name}', strategy => 'sort', "
            f"sort_order => 'zorder({','.join(self.spec.columns)})', options => map('rewrite-all', 'true', "
            f"'target-file-size-bytes', '{file_bytes}', 'max-file-group-size-bytes', '{1 << 50}'))"
        )
        return lambda: self.spark.sql(call).collect()

    def live_files(self, target: Path) -> list[Path]:
        """The data files of the table's last snapshot."""
        rows = self.spark.sql(f"SELECT file_path FROM {_name(target)}.files").collect()
        return sorted(Path(unquote(urlparse(row.file_path).path)) for row in rows)

    def _ddl(self, data: Path) -> str:
        fields = self.spark.read.parquet(str(data)).schema.fields
        return ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in fields)


def _name(target: Path) -> str:
    return f"{_CATALOG}.bench.{target.name.replace('-', '_')}"


def runner(spec: Spec) -> IcebergRunner:
    """Starts Spark with Iceberg and a catalog in the process's own folder."""
    more = {
        "spark.jars": ",".join(bench_jars("iceberg")),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        f"spark.sql.catalog.{_CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{_CATALOG}.type": "hadoop",
        f"spark.sql.catalog.{_CATALOG}.warehouse": str(Path(spec.work) / "iceberg"),
    }
    return IcebergRunner(builder(spec, more).getOrCreate(), spec)
