# SPDX-License-Identifier: Apache-2.0

"""Stand-ins for a session and an installed package; no test here starts a JVM."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import pyspark
import pytest

from spark_zorder import _jars, _versions
from spark_zorder._jars import minor_of
from spark_zorder._libraries import DELTA, ICEBERG
from spark_zorder._settings import EXTENSION

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# Tests run with PySparks of all minors.
MINOR = minor_of(pyspark.__version__)
PROJECT = _versions.versions()["project"]
DELTA_EXTENSION, ICEBERG_EXTENSION = DELTA.extension, ICEBERG.extension
DELTA_CATALOG = DELTA.catalog or ""
JAR_NAME = f"spark-zorder_{MINOR}_2.13-{PROJECT}.jar"


class FakeSpark:
    """Records SQL; has the settings and functions that it is told to have."""

    version = pyspark.__version__

    def __init__(self, conf: dict[str, str], functions: set[str]) -> None:
        self.settings = conf
        self.functions = functions
        self.statements: list[str] = []
        self.tables: list[str] = []
        self.conf = self
        self.catalog = self

    def get(self, key: str, default: str | None = None) -> str | None:
        return self.settings.get(key, default)

    def functionExists(self, name: str) -> bool:
        return name in self.functions

    def sql(self, statement: str) -> str:
        self.statements.append(statement)
        return "rows of " + statement

    def table(self, name: str) -> str:
        self.tables.append(name)
        return "rows of " + name

    def as_session(self) -> SparkSession:
        return cast("SparkSession", self)


@pytest.fixture
def fake() -> FakeSpark:
    return FakeSpark({"spark.sql.extensions": f"{DELTA_EXTENSION},{EXTENSION}"}, {"interleave_bits"})


@pytest.fixture
def spark(fake: FakeSpark) -> SparkSession:
    return fake.as_session()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package without a jar."""
    folder = tmp_path / "spark_zorder"
    (folder / "jars").mkdir(parents=True)
    for module in (_versions, _jars):
        monkeypatch.setattr(module, "PACKAGE", folder)
    return folder


@pytest.fixture
def jar(package: Path) -> str:
    """The path of an installed package's jar."""
    path = package / "jars" / JAR_NAME
    path.touch()
    return str(path.resolve())


@pytest.fixture(autouse=True)
def no_spark_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the machine's own Spark settings out of the tests."""
    for name in list(os.environ):
        if name.startswith(("PYSPARK_", "SPARK_")) or name == "MASTER":
            monkeypatch.delenv(name)
    (tmp_path / "conf").mkdir()
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "conf"))
