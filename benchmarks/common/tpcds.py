# SPDX-License-Identifier: Apache-2.0

"""Tables of TPC-DS, from the generator `io.trino.tpcds:tpcds`, and the queries that Spark's own tests have."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from common.places import DATA, bench_jars

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COLUMNS = Path(__file__).with_name("TpcdsColumns.java")
_QUERY = re.compile(r"tpcds/(q\d+[a-z]?)\.sql")


def generated(scale: float, table: str | None = None) -> Path:
    """The folder with the generator's file of a table, or of all tables; made once and kept."""
    folder = DATA / (f"tpcds-{scale:g}" if table else f"tpcds-{scale:g}-all")
    if not folder.exists():
        making = folder.with_name(folder.name + ".part")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        options = ["--scale", f"{scale:g}", "--directory", str(making), "--overwrite"]
        options += ["--table", table] if table else []
        subprocess.run(["java", "-cp", _class_path(), "io.trino.tpcds.Driver", *options], check=True)
        making.rename(folder)
    return folder


def schemas() -> dict[str, str]:
    """The columns of each of the 24 tables with their types in SQL, from the generator."""
    shown = subprocess.run(
        ["java", "-cp", _class_path(), str(_COLUMNS)], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, list[str]] = {}
    for line in shown.splitlines():
        table, column, type_ = line.split("|")
        found.setdefault(table, []).append(f"{column} {type_}")
    return {table: ", ".join(columns) for table, columns in found.items() if table != "dbgen_version"}


def read(spark: SparkSession, folder: Path, table: str, schema: str) -> DataFrame:
    """The rows of a table in the order of the generator."""
    file = folder / f"{table}.dat"
    return spark.read.csv(file.as_uri(), schema=schema, sep="|", quote="", encoding="ISO-8859-1")


def queries() -> dict[str, str]:
    """The text of each query by its name, such as `q14a`, in the order of their numbers."""
    with zipfile.ZipFile(bench_jars("tpcds-queries")[0]) as jar:
        names = {found[1]: name for name in jar.namelist() if (found := _QUERY.fullmatch(name))}
        return {query: jar.read(names[query]).decode() for query in sorted(names, key=by_number)}


def by_number(query: str) -> tuple[int, str]:
    """Sorts names of queries.

    Example:
        >>> sorted(["q14b", "q2", "q14a"], key=by_number)
        ['q2', 'q14a', 'q14b']
    """
    number = query[1:].rstrip("abcd")
    return int(number), query


def _class_path() -> str:
    return ":".join(bench_jars("tpcds"))
