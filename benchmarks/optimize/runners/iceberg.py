# SPDX-License-Identifier: Apache-2.0

"""Iceberg's `rewrite_data_files`, and our OPTIMIZE, on Iceberg tables of the very files of the Delta table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import pyspark

from common.places import bench_jars, own_jar
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
        statement = self._statement(name, file_bytes)
        return lambda: self.spark.sql(statement).collect()

    def live_files(self, target: Path) -> list[Path]:
        """The data files of the table's last snapshot."""
        rows = self.spark.sql(f"SELECT file_path FROM {_name(target)}.files").collect()
        return sorted(Path(unquote(urlparse(row.file_path).path)) for row in rows)

    def _statement(self, name: str, file_bytes: int) -> str:
        columns = ",".join(self.spec.columns)
        if self.spec.system == "ours-iceberg":
            return f"OPTIMIZE {name} ZORDER BY ({columns}) OPTIONS (target_file_size = '{file_bytes}')"
        return (
            f"CALL {_CATALOG}.system.rewrite_data_files(table => '{name}', strategy => 'sort', "
            f"sort_order => '{self.spec.system.removeprefix('iceberg-')}({columns})', options => map('rewrite-all', "
            f"'true', 'target-file-size-bytes', '{file_bytes}', 'max-file-group-size-bytes', '{1 << 50}'))"
        )

    def _ddl(self, data: Path) -> str:
        fields = self.spark.read.parquet(str(data)).schema.fields
        return ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in fields)


def _name(target: Path) -> str:
    return f"{_CATALOG}.bench.{target.name.replace('-', '_')}"


def runner(spec: Spec) -> IcebergRunner:
    """Starts Spark with Iceberg, with our extension where ours is measured, and a catalog of the process."""
    jars, extensions = bench_jars("iceberg"), ["org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"]
    if spec.system == "ours-iceberg":
        jars = [*jars, own_jar(".".join(pyspark.__version__.split(".")[:2]))]
        extensions = [*extensions, "io.sparkzorder.ZOrderSparkSessionExtension"]
    more = {
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": ",".join(extensions),
        f"spark.sql.catalog.{_CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{_CATALOG}.type": "hadoop",
        f"spark.sql.catalog.{_CATALOG}.warehouse": str(Path(spec.work) / "iceberg"),
    }
    return IcebergRunner(builder(spec, more).getOrCreate(), spec)
