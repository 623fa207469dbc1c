# SPDX-License-Identifier: Apache-2.0

"""Blocks of SQL and Python in the docs run and show what the page says; those that do not say why, and are parsed."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from plotly.graph_objects import Figure
from pyspark.errors import ParseException

from launching import ROOT
from snippets import Snippet, blocks, snippets
from spark_zorder import ZOrderTable, explain_skipping, functions
from spark_zorder._cli.parser import parse as parse_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

DOCUMENTS = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [page for page in DOCUMENTS if "<!-- runs" in page.read_text()]
# `make test` runs what a reader tries first.
PAGES_BY_RING = [page if page.parent == ROOT else pytest.param(page, marks=pytest.mark.daily) for page in PAGES]
# Pages of which another test runs all blocks.
RUN_ELSEWHERE = {ROOT / "docs" / "tutorial.md": "test_tutorial.py"}

# Each in a few files of which all have all values.
TABLES = {
    "events": """CREATE TABLE events USING delta AS SELECT /*+ REPARTITION(8, event) */ id AS event,
        CAST(pmod(xxhash64(id), 1000) AS INT) AS user, CAST(pmod(xxhash64(id, 1), 100) AS INT) AS place
        FROM range(20000)""",
    "trips": """CREATE TABLE trips USING parquet AS SELECT /*+ REPARTITION(2, trip) */ id AS trip,
        CAST(id % 100 AS INT) AS user FROM range(200)""",
    "flights": """CREATE TABLE flights USING delta PARTITIONED BY (year) AS SELECT /*+ REPARTITION(4, id) */ id,
        2013 AS year, elt(CAST(1 + id % 3 AS INT), 'AA', 'DL', 'UA') AS carrier,
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


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES_BY_RING, ids=name_of)
@pytest.mark.usefixtures("database")
def test_page(
    spark: SparkSession, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Reports are written where the reader happens to be; figures would open a browser.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Figure, "show", lambda _: None)
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


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_every_block_runs_or_says_why_not(spark: SparkSession, page: Path) -> None:
    for block in blocks(page.read_text()):
        at = f"{name_of(page)}, line {block.line}"
        if page not in RUN_ELSEWHERE:
            assert block.runs or block.why_not, f"{at}: mark it <!-- runs -->, or <!-- not run: why -->"
        if block.is_code and not block.runs:
            parse(spark, block, at)


def parse(spark: SparkSession, block: Snippet, at: str) -> None:
    if block.language == "python":
        compile(block.code, at, "exec")
        return
    parser = spark._jsparkSession.sessionState().sqlParser()
    for statement in block.statements:
        try:
            parser.parsePlan(statement)
        except ParseException as error:
            pytest.fail(f"{at}: {error}")


def test_marks_of_blocks() -> None:
    page = "<!-- not run: a\nserver -->\n"
    with pytest.raises(ValueError, match="line 1"):
        list(blocks(page))
    one, two, three = blocks(
        "```sql\nSELECT 1\n```\n\n<!-- not parsed: a form -->\n```sql\nSELECT <x>\n```\n"
        "<!-- runs -->\n```python\nx\n```\n"
    )
    assert (one.runs, one.why_not, one.is_code) == (False, None, True)
    assert (two.runs, two.why_not, two.is_code) == (False, "a form", False)
    assert (three.runs, three.why_not, three.line) == (True, None, 9)


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


def shell_blocks(page: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def test_both_readmes_install_alike() -> None:
    first, second = (shell_blocks(page)[0] for page in DOCUMENTS[:2])

    assert first == second
    assert "pip install" in first


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_the_program_takes_the_words_of_the_docs(page: Path) -> None:
    lines = [line for block in shell_blocks(page) for line in block.splitlines() if line.startswith("spark-zorder ")]
    for line in lines:
        words = shlex.split(line, comments=True)[1:]
        end = next((i for i, word in enumerate(words) if word in ("|", ">")), len(words))

        assert parse_words(words[:end]).command == words[0]


def test_the_home_page_shows_the_statements_of_the_readme() -> None:
    statements = next(snippets((ROOT / "README.md").read_text())).code

    assert statements in (ROOT / "docs" / "index.md").read_text()
