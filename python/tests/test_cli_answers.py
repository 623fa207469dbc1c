# SPDX-License-Identifier: Apache-2.0

"""How answers are written, and errors."""

from __future__ import annotations

import datetime
import io
import json
import sys
from decimal import Decimal

import pytest
from pyspark.errors import AnalysisException, PySparkRuntimeError
from pyspark.sql import Row

from spark_zorder import ZOrderValueError
from spark_zorder._cli.answer import Answer
from spark_zorder._cli.failures import CommandError, document_of, text_of
from spark_zorder._cli.rendering import write
from spark_zorder._cli.values import jsonable
from spark_zorder._grid import Grid, grid_of, plain, text

GRID = Grid(["column", "files read"], [["a[b]", "1,234"], ["é :smile:", "5"]], frozenset({"files read"}))


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("rows", 1_234_567, "1,234,567"),
        ("bytes", 1_234_567, "1.23 MB"),
        ("target_file_size", 256_000_000, "256 MB"),
        ("size", "12.4 MB", "12.4 MB"),
        ("read_share_now", 1.0, "100 %"),
        ("average_depth", 3.14159, "3.142"),
        ("rewrite_seconds", 24.06, "24.1 s"),
        ("point_read_share", None, ""),
        ("x", float("nan"), "nan"),
        ("columns", ["a", "b"], "a, b"),
        ("ok", True, "true"),
        ("min", datetime.date(2013, 1, 2), "2013-01-02"),
    ],
)
def test_values_for_people(name: str, value: object, shown: str) -> None:
    assert text(name, value) == shown


def test_pairs_become_one_column() -> None:
    columns = ["table", "files_total", "files_read", "bytes_total", "bytes_read", "rows_total"]
    grid = grid_of(columns, [["t", 48, 3, 814_000_000, 50_000, 10], ["csv", None, None, None, None, None]])
    assert grid.columns == ["table", "files", "bytes", "rows"]
    assert grid.rows == [["t", "3 of 48", "50.0 kB of 814 MB", "10"], ["csv", "unknown", "unknown", ""]]
    assert grid.numbers == {"files", "bytes", "rows"}


def test_maps_and_structs_are_for_programs() -> None:
    grid = grid_of(["column", "depth_histogram", "at"], [["a", {1: 2}, Row(x=1)]])
    assert (grid.columns, grid.rows) == (["column"], [["a"]])


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (Row(a=1, b=Row(c=[None, 0.5])), {"a": 1, "b": {"c": [None, 0.5]}}),
        ({1: 2}, {"1": 2}),
        (float("inf"), None),
        (b"\x01\xff", "01ff"),
        (Decimal("1.50"), "1.50"),
        (datetime.date(2013, 1, 2), "2013-01-02"),
    ],
)
def test_values_in_json(value: object, found: object) -> None:
    assert jsonable(value) == found


def test_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    write(Answer({}, [GRID], ["Done."]), as_json=False)
    assert capsys.readouterr().out == (
        "column     files read\n"
        "a[b]            1,234\n"
        "é :smile:           5\n"
        "Done.\n"
    )  # fmt: skip
    assert plain(Grid(["a"], [["x\ny"]])) == "a\nx y"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_boxes_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    write(Answer({}, [GRID]), as_json=False)
    lines = out.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert lines[0].startswith("╭")
    assert lines[3] == "│ a[b]      │      1,234 │"
    assert "é :smile:" in lines[4]
    assert {len(line) for line in lines} == {26}


def test_plain_columns_on_a_terminal_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    monkeypatch.setitem(sys.modules, "rich.table", None)
    write(Answer({}, [GRID]), as_json=False)
    assert out.getvalue() == plain(GRID) + "\n"


def test_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    write(Answer({"rows": [{"a": "é"}]}, [GRID], ["Done."], raw="raw"), as_json=True)
    assert json.loads(capsys.readouterr().out) == {"rows": [{"a": "é"}]}
    write(Answer({}, [GRID], raw="raw"), as_json=False)
    assert capsys.readouterr().out == "raw\n"


class JavaError(Exception):
    class java_exception:
        @staticmethod
        def toString() -> str:
            return "org.apache.spark.SparkException: Could not parse Master URL: 'x'"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (CommandError("This."), "This."),
        (KeyError(), "KeyError"),
        (PySparkRuntimeError("One.\nTwo.\n\nJVM stacktrace:\norg.x\n\tat org.x.Y(Z)"), "One.\nTwo."),
        (
            AnalysisException("No table; line 1 pos 8;\n'Project [*]\n+- 'UnresolvedRelation [t]"),
            "No table; line 1 pos 8",
        ),
        (RuntimeError("It failed.\n\tat org.x.Y.z(Y.scala:1)\nCaused by: that"), "It failed."),
        (
            JavaError("An error occurred while calling o1.sql."),
            "org.apache.spark.SparkException: Could not parse Master URL: 'x'",
        ),
    ],
)
def test_errors_without_a_stack_trace(error: Exception, shown: str) -> None:
    assert text_of(error) == shown


def test_an_error_says_what_of_the_command_line_helps() -> None:
    error = AnalysisException(message="No Delta.", errorClass="ZORDER_DELTA_NOT_ON_CLASS_PATH", messageParameters={})
    assert text_of(error).endswith("--delta adds Delta Lake to the session that this command starts.")
    error = AnalysisException(message="No.", errorClass="ZORDER_ICEBERG_NOT_ON_CLASS_PATH", messageParameters={})
    assert text_of(error).endswith("--iceberg adds Iceberg to the session that this command starts.")


@pytest.mark.parametrize(
    ("error", "condition", "state"),
    [
        (ZOrderValueError("ZORDER_NO_COLUMNS", method="x"), "ZORDER_NO_COLUMNS", "42601"),
        (CommandError("This."), None, None),
    ],
)
def test_errors_in_json(error: Exception, condition: str | None, state: str | None) -> None:
    (found,) = document_of(error).values()
    assert (found["condition"], found["sql_state"]) == (condition, state)
    assert found["message"] == text_of(error)
