# SPDX-License-Identifier: Apache-2.0

"""Blocks of SQL and Python in the docs that are marked to run do run, and show what the page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from launching import ROOT
from snippets import snippets
from spark_zorder import ZOrderTable, explain_skipping, functions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

PAGES = [
    page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if "<!-- runs" in page.read_text()
]

# Each in a few files of which all have all values.
TABLES = {
    "events": """CREATE TABLE events USING delta AS SELECT /*+ REPARTITION(8, event) */ id AS event,
        CAST(pmod(xxhash64(id), 1000) AS INT) AS user, CAST(pmod(xxhash64(id, 1), 100) AS INT) AS place
        FROM range(20000)""",
    "trips": """CREATE TABLE trips USING parquet AS SELECT /*+ REPARTITION(2, trip) */ id AS trip,
        CAST(id % 100 AS INT) AS user FROM range(200)""",
    "flights": """CREATE TABLE flights USING delta AS SELECT /*+ REPARTITION(4, id) */ id,
        25 + pmod(xxhash64(id), 240) / 10 AS dest_lat, -120 + pmod(xxhash64(id, 1), 500) / 10 AS dest_lon,
        CAST(pmod(xxhash64(id, 2), 300) - 30 AS INT) AS dep_delay FROM range(2000)""",
    "incoming": """CREATE TABLE incoming USING parquet AS SELECT id AS event, CAST(id % 1000 AS INT) AS user,
        CAST(id % 100 AS INT) AS place, DATE'2024-03-01' AS day FROM range(2000)""",
}


@pytest.fixture
def database(spark: SparkSession) -> Iterator[str]:
    """A database for one page."""
    before = spark.catalog.currentDatabase()
    spark.sql("CREATE DATABASE a_page")
    spark.sql("USE a_page")
    yield "a_page"
    spark.sql(f"USE {before}")
    spark.sql("DROP DATABASE a_page CASCADE")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.usefixtures("database")
def test_page(spark: SparkSession, page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made: set[str] = set()
    names = {"spark": spark, "ZOrderTable": ZOrderTable, "explain_skipping": explain_skipping, "functions": functions}
    for snippet in snippets(page.read_text()):
        for table in snippet.tables:
            if table not in made:
                spark.sql(TABLES[table])
                made.add(table)
        shown = (
            run_sql(spark, snippet.statements) if snippet.language == "sql" else run_python(snippet.code, names, capsys)
        )
        if snippet.shows is not None:
            assert shown.rstrip() == snippet.shows.rstrip(), f"line {snippet.line}"


def run_sql(spark: SparkSession, statements: list[str]) -> str:
    """Runs all of them; what the last one shows."""
    *others, last = statements
    for statement in others:
        spark.sql(statement).collect()
    return str(spark.sql(last)._show_string(20, False, False))


def run_python(code: str, names: dict[str, object], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    exec(compile(code, "a page", "exec"), names)  # noqa: S102 - our own pages
    return str(capsys.readouterr().out)


def test_the_home_page_shows_the_statements_of_the_readme() -> None:
    statements = next(snippets((ROOT / "README.md").read_text())).code

    assert statements in (ROOT / "docs" / "index.md").read_text()
