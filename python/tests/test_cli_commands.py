# SPDX-License-Identifier: Apache-2.0

"""The commands, on a session that records their statements."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row

import spark_zorder
from spark_zorder import ZOrderTable
from spark_zorder._cli import advice, main, statements, undo

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tests.conftest import FakeSpark

LAYOUT = [
    Row(column="a", point_read_share_before=1.0, point_read_share_after=0.25),
    Row(column="b", point_read_share_before=None, point_read_share_after=0.31),
]


SUMMARY = "a 100 % -> 25 % of files per point lookup; 48 -> 64 files"


def optimized(removed: int = 48, added: int = 64, summary: str = SUMMARY) -> Row:
    metrics = Row(
        numFilesAdded=added,
        numFilesRemoved=removed,
        filesAdded=Row(totalSize=760_000_000),
        filesRemoved=Row(totalSize=814_000_000),
        startTimeMs=1000,
        endTimeMs=25_060,
    )
    return Row(path="/t", metrics=metrics, layout=LAYOUT if removed else [], summary=summary)


class Data:
    """A result."""

    def __init__(self, *rows: Row) -> None:
        self.rows = list(rows)
        self.columns = list(rows[0].__fields__) if rows else []

    def collect(self) -> list[Row]:
        return self.rows


@pytest.fixture
def results(fake: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the session's next statements return; an exception is raised."""
    given: list[Any] = []

    def sql(statement: str) -> Data:
        fake.statements.append(statement)
        result = given.pop(0)
        if isinstance(result, BaseException):
            raise result
        return Data(*result)

    @contextmanager
    def spark_for(_options: argparse.Namespace, *_: Any, **__: Any) -> Iterator[FakeSpark]:
        yield fake

    monkeypatch.setattr(fake, "sql", sql)
    monkeypatch.setattr(statements, "spark_for", spark_for)
    monkeypatch.setattr(advice, "spark_for", spark_for)
    monkeypatch.setattr(undo, "spark_for", spark_for)
    return given


def test_optimize_shows_what_it_gains(fake: FakeSpark, results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    results.append([optimized()])
    words = ["--by", "a,`b.c`", "--where", "d = 1", "--option", "curve=hilbert", "--incremental"]
    assert main(["optimize", "/t", *words]) == 0
    assert fake.statements == [
        "OPTIMIZE '/t' WHERE d = 1 ZORDER BY (`a`, `b.c`) OPTIONS ('curve' = 'hilbert', 'mode' = 'incremental')"
    ]
    assert capsys.readouterr().out.splitlines() == [
        "column  point read share before  point read share after",
        "a                         100 %                    25 %",
        "b                                                  31 %",
        "a 100 % -> 25 % of files per point lookup; 48 -> 64 files",
    ]


def test_a_time_that_is_empty_is_not_left_out(fake: FakeSpark, results: list[Any]) -> None:
    results.append([optimized()])
    assert main(["optimize", "/t", "--by", "a", "--keep-old", ""]) == 0
    assert fake.statements == ["OPTIMIZE '/t' ZORDER BY (`a`) OPTIONS ('keep_old' = '')"]


def test_a_dry_run_by_the_tables_own_order(
    fake: FakeSpark, results: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    results.append([optimized()])
    assert main(["optimize", "db.t", "--dry-run"]) == 0
    assert fake.statements == ["OPTIMIZE `db`.`t` ZORDER DRY RUN"]
    assert capsys.readouterr().out.endswith(f"{SUMMARY}\n")


def test_nothing_to_optimize(results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    results.append([optimized(0, 0, "Nothing to do: the table is empty.")])
    assert main(["optimize", "t", "--by", "a"]) == 0
    assert capsys.readouterr().out == "Nothing to do: the table is empty.\n"


def test_optimize_in_json(results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    results.append([optimized()])
    assert main(["optimize", "db.t", "--by", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["command"], found["table"]) == ("optimize", "db.t")
    assert found["rows"][0]["metrics"]["filesAdded"] == {"totalSize": 760_000_000}
    assert found["rows"][0]["layout"][1]["point_read_share_before"] is None


@pytest.mark.parametrize(
    ("words", "statement"),
    [
        (["layout", "t"], "DESCRIBE LAYOUT `t`"),
        (["layout", "/t", "--format", "delta", "--on", "a,b"], "DESCRIBE LAYOUT delta.`/t` ON (`a`, `b`)"),
        (["layout", "t", "--where", "p = 1 -- one"], "DESCRIBE LAYOUT `t` WHERE p = 1 -- one"),
        (["layout", "t", "--extended", "--on", "a"], "DESCRIBE LAYOUT EXTENDED `t` ON (`a`)"),
        (["files", "t", "--where", "p = 1"], "DESCRIBE LAYOUT EXTENDED `t` WHERE p = 1"),
        (["skipping", "SELECT 1"], "EXPLAIN SKIPPING SELECT 1"),
        (["analyze", "t"], "ANALYZE TABLE `t` COMPUTE FILE STATISTICS"),
        (["analyze", "t", "--columns", "a,b"], "ANALYZE TABLE `t` COMPUTE FILE STATISTICS FOR COLUMNS `a`, `b`"),
        (["analyze", "t", "--all"], "ANALYZE TABLE `t` COMPUTE FILE STATISTICS FOR ALL COLUMNS"),
        (["rewrites", "t"], "DESCRIBE REWRITES `t`"),
        (["restore", "t", "--rewrite", "3"], "RESTORE TABLE `t` TO BEFORE REWRITE 3"),
        (["vacuum", "t"], "VACUUM `t` REPLACED FILES"),
        (["repair", "t"], "FSCK REPAIR TABLE `t`"),
        (["repair", "t", "--dry-run"], "FSCK REPAIR TABLE `t` DRY RUN"),
        (
            ["vacuum", "t", "--retain-hours", "0", "--dry-run"],
            "VACUUM `t` REPLACED FILES RETAIN 0 HOURS DRY RUN",
        ),
    ],
)
def test_statements(
    fake: FakeSpark, results: list[Any], capsys: pytest.CaptureFixture[str], words: list[str], statement: str
) -> None:
    results.append([Row(column="a", files=48)])
    assert main(words) == 0
    assert fake.statements == [statement]
    assert capsys.readouterr().out == "column  files\na          48\n"


def test_programs_get_exact_numbers_where_there_are_some(
    results: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def layout(_table: ZOrderTable, *cols: str, where: str | None = None) -> Data:
        return Data(Row(column=cols[0], bytes=123, where=where))

    monkeypatch.setattr(ZOrderTable, "layout", layout, raising=False)
    assert main(["layout", "t", "--on", "a", "--where", "p = 1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"column": "a", "bytes": 123, "where": "p = 1"}]
    assert results == []


def test_a_query_of_no_files(results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    results.append([])
    assert main(["skipping", "SELECT 1"]) == 0
    assert "scans no files" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "rows", "note"),
    [
        (["layout", "t"], [[]], "t keeps statistics of none of its columns"),
        (["files", "t"], [[], []], "run OPTIMIZE ... ZORDER BY with them"),
        (["files", "t"], [[], [Row(column="a")]], "t has no files.\n"),
        (["files", "t", "--on", "a"], [[]], "t has no files.\n"),
        (["files", "t", "--where", "p = 9"], [[], [Row(column="a")]], "t has no files that --where selects.\n"),
    ],
)
def test_why_there_is_nothing(
    results: list[Any], capsys: pytest.CaptureFixture[str], words: list[str], rows: list[list[Row]], note: str
) -> None:
    results += rows
    assert main(words) == 0
    assert note in capsys.readouterr().out
    assert results == []


def test_no_files_in_json(results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    results.append([])
    assert main(["files", "t", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == []


def test_errors_are_short_but_with_debug(results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    error = AnalysisException("[TABLE_OR_VIEW_NOT_FOUND] No t; line 1 pos 8;\n'Project [*]")
    results += [error, error, error]
    assert main(["layout", "t"]) == 1
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", "spark-zorder: [TABLE_OR_VIEW_NOT_FOUND] No t; line 1 pos 8\n")
    assert main(["layout", "t", "--json"]) == 1
    assert "No t" in json.loads(capsys.readouterr().out)["error"]["message"]
    with pytest.raises(AnalysisException):
        main(["layout", "t", "--debug"])


def test_interrupted(results: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    results.append(KeyboardInterrupt())
    assert main(["layout", "t"]) == 130
    assert capsys.readouterr().err == "spark-zorder: interrupted\n"


def test_a_reader_that_has_enough(monkeypatch: pytest.MonkeyPatch, jar: str, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(write=_broken, flush=_broken, fileno=out.fileno))
        assert main(["jar"]) == 0


def _broken(*_: object) -> None:
    raise BrokenPipeError


def test_advise_shows_notes_once(
    results: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []

    def advise(_table: ZOrderTable, *cols: str, queries: Any = None, recording: Any = None) -> Data:
        asked.append((cols, queries, recording))
        row = Row(
            rank=1,
            columns=["a", "b"],
            target_file_size=256_000_000,
            read_share=0.25,
            read_share_now=0.5,
            statement="OPTIMIZE t",
            warnings=["w"],
        )
        return Data(row, Row(**{**row.asDict(), "rank": 2, "warnings": ["w", "v"]}))

    monkeypatch.setattr(ZOrderTable, "advise", advise, raising=False)
    assert main(["advise", "t", "--on", "a,b", "--query", "q1", "--query", "q2", "--recording", "/queries"]) == 0
    assert asked == [(("a", "b"), ["q1", "q2"], "/queries")]
    assert capsys.readouterr().out.splitlines() == [
        "rank  columns  target file size  read share  read share now",
        "   1  a, b               256 MB        25 %            50 %",
        "   2  a, b               256 MB        25 %            50 %",
        "Run: spark-zorder optimize t --by a,b",
        "In SQL: OPTIMIZE t",
        "Note: w",
        "Note: v",
    ]
    assert results == []


@pytest.mark.usefixtures("results")
def test_advice_for_smaller_files(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    one = {"columns": ["a"], "files": 1, "target_file_size": 8_388_608, "rewrite_bytes": 11_485_135}
    smaller = {**one, "files": 16, "statement": "OPTIMIZE t OPTIONS (target_file_size = '2871k')"}

    def advise(_table: ZOrderTable, *_cols: str, options: Any = None, **_others: Any) -> Data:
        row = smaller if options == {"target_file_size": "2871k"} else {**one, "statement": None}
        return Data(Row(**row, warnings=[]))

    monkeypatch.setattr(ZOrderTable, "advise", advise, raising=False)
    assert main(["advise", "t", "--on", "a"]) == 0
    out = capsys.readouterr().out
    assert "Run: spark-zorder optimize t --by a --option target_file_size=2871k" in out
    assert "Note: All rows fit in one file of 8.39 MB" in out


@pytest.mark.usefixtures("results")
def test_advice_that_gains_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    row = Row(rank=1, read_share=1.0, read_share_now=0.8, statement=None, warnings=[])
    monkeypatch.setattr(ZOrderTable, "advise", lambda *_, **__: Data(row), raising=False)
    assert main(["advise", "t"]) == 0
    out = capsys.readouterr().out
    assert "Nothing to run" in out
    assert "OPTIMIZE" not in out


def test_report(
    results: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def report(table: ZOrderTable, columns: list[str], path: str, *, overwrite: bool = False) -> Path:
        page = Path(path)
        page.write_text(f"{table.name} {columns} {overwrite}")
        return page

    monkeypatch.setattr(spark_zorder, "report", report, raising=False)
    out = tmp_path / "page.html"
    assert main(["report", "t", "--on", "a,b", "--out", str(out), "--overwrite"]) == 0
    assert out.read_text() == "`t` ['a', 'b'] True"
    assert capsys.readouterr().out == f"Written: {out}\n"
    assert results == []


@pytest.mark.parametrize("case", ["exists", "no folder", "no plotly", "no jinja2"])
def test_what_a_report_lacks_is_said_before_spark_starts(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    words = {
        "exists": "--overwrite",
        "no folder": "does not exist",
        "no plotly": "plotly is not installed",
        "no jinja2": "jinja2 is not installed",
    }[case]
    if case == "exists":
        out.write_text("mine")
    elif case == "no folder":
        out = tmp_path / "missing" / "page.html"
    else:
        module = case.split()[1]
        for name in [name for name in sys.modules if name.split(".")[0] == module]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, module, None)

    def starts(*_: Any) -> Any:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(advice, "spark_for", starts)
    assert main(["report", "t", "--out", str(out)]) == 1
    assert words in capsys.readouterr().err
