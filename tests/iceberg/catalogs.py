# SPDX-License-Identifier: Apache-2.0

"""Catalogs of Iceberg for the tests: of files, in SQLite, in a metastore of Hive, and a REST catalog in a process."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from launching import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

ICEBERG = ROOT / ".build" / "iceberg"
EXTENSION = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
NAMES = ("files", "sql", "hive", "rest")
# A metastore within the driver, in memory: it is gone with it, and its locks are not to be had.
METASTORE = {
    "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "datanucleus.connectionPoolingType": "HikariCP",
    "hive.metastore.schema.verification": "false",
    "iceberg.engine.hive.lock-enabled": "false",
}


def spark_jars() -> list[str]:
    """Iceberg's runtime and SQLite, which the build has copied."""
    jars = sorted(str(jar) for jar in (ICEBERG / "jars" / "spark").glob("*.jar"))
    assert jars, f"no jars in {ICEBERG}: run `make .build/iceberg/complete`"
    return jars


class RestServer:
    """A REST catalog that runs until it is ended; see RestCatalog.java."""

    def __init__(self, folder: Path) -> None:
        # Hadoop's classes are those of Spark.
        of_spark = Path(pyspark.__file__).parent / "jars"
        jars = [*sorted((ICEBERG / "jars" / "rest").glob("*.jar")), *sorted(of_spark.glob("hadoop-client-*.jar"))]
        jars += sorted((ICEBERG / "jars" / "spark").glob("sqlite-*.jar"))
        address = folder / "address"
        self._commits = folder / "address.commits"
        command = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(map(str, jars))]
        command += [str(Path(__file__).with_name("RestCatalog.java")), str(folder / "rest"), str(address)]
        self._log = (folder / "log").open("w+")
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        end = time.monotonic() + 120
        while not address.exists():
            assert self._process.poll() is None, self._said()
            assert time.monotonic() < end, self._said()
            time.sleep(0.1)
        self.address = address.read_text()

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read()

    def answer_commits(self, answer: str | None) -> None:
        """Has commits answered by a status, `done 502` after they are carried out; None has them carried out again."""
        self._commits.unlink(missing_ok=True)
        if answer:
            self._commits.write_text(answer)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()


class Catalogs:
    """All of them, for Spark and for pyiceberg; files of the REST catalog's tables are below `rest` in the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rest = RestServer(folder)

    def settings(self) -> dict[str, str]:
        """The settings of a session that has them."""
        own = {
            "files": {"type": "hadoop", "warehouse": f"{self.folder}/files"},
            "sql": {
                "type": "jdbc",
                "uri": f"jdbc:sqlite:{self.folder}/catalog.db",
                "warehouse": f"file://{self.folder}/sql",
                "jdbc.schema-version": "V1",
            },
            "hive": {"type": "hive", "warehouse": f"{self.folder}/hive"},
            "rest": {"type": "rest", "uri": self.rest.address},
        }
        found = {f"spark.sql.catalog.{name}": "org.apache.iceberg.spark.SparkCatalog" for name in own}
        for name, properties in own.items():
            found |= {f"spark.sql.catalog.{name}.{key}": value for key, value in properties.items()}
            # Else a table that pyiceberg has changed may be an old one here.
            found[f"spark.sql.catalog.{name}.cache-enabled"] = "false"
        return found | {f"spark.hadoop.{key}": value for key, value in METASTORE.items()}

    def read_elsewhere(
        self, spark: SparkSession, table: str, *snapshots: int | None, reader: str = "pyiceberg"
    ) -> list[Counter[str]]:
        """The rows of a table in each of the snapshots, None for the current one, as pyiceberg or DuckDB reads them."""
        asked = {**self._found_by(spark, table), "snapshots": snapshots, "reader": reader}
        return [Counter(found) for found in json.loads(_elsewhere(asked))]

    def append_elsewhere(self, spark: SparkSession, table: str, row: Mapping[str, Any]) -> None:
        """Has pyiceberg append a row."""
        _elsewhere({**self._found_by(spark, table), "append": row})

    def _found_by(self, spark: SparkSession, table: str) -> dict[str, Any]:
        """How pyiceberg finds a table: by the catalog, or by its newest metadata."""
        catalog, name = table.split(".", 1)
        if catalog in ("files", "hive"):
            newest = f"SELECT file FROM {table}.metadata_log_entries ORDER BY timestamp DESC LIMIT 1"
            return {"metadata": spark.sql(newest).collect()[0][0]}
        own = {"type": "rest", "uri": self.rest.address}
        if catalog == "sql":
            own = {"type": "sql", "uri": f"sqlite:///{self.folder}/catalog.db"}
        return {"catalog": {"name": catalog, **own}, "table": name}


def _elsewhere(asked: Mapping[str, Any]) -> str:
    program = [str(ICEBERG / "venv" / "bin" / "python"), str(Path(__file__).with_name("other_reader.py"))]
    done = subprocess.run([*program, json.dumps(asked)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(spark: SparkSession, query: str) -> Counter[str]:
    """The rows of a query as those of other readers are written."""
    return Counter(json.dumps(row.asDict(), default=_as_text, sort_keys=True) for row in spark.sql(query).collect())


def _as_text(value: object) -> str:
    # Spark's timestamps are of no zone in Python, and in that of this process.
    return str(value.astimezone(timezone.utc)) if isinstance(value, datetime) else str(value)
