# SPDX-License-Identifier: Apache-2.0

"""What queries took: medians, sums, files of figures and comparisons. Nothing here measures time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Row

from spark_zorder import Benchmark, ZOrderTable
from spark_zorder._cli import main, measuring
from spark_zorder._comparison import ratio
from spark_zorder.benchmark import QueryFigures, figures
from spark_zorder.errors import ZOrderFileExistsError, ZOrderTypeError, ZOrderValueError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FakeSpark


def scan(read: int | None, total: int | None, bytes_read: int | None = 10, bytes_total: int | None = 40) -> Row:
    return Row(table="t", files_read=read, files_total=total, bytes_read=bytes_read, bytes_total=bytes_total)


def query(name: str, seconds: float, files: int | None = 3, size: int | None = 1_000_000) -> QueryFigures:
    return QueryFigures(name, f"SELECT {name}", seconds, (seconds,), files, 48, size, 4_000_000)


def test_seconds_are_the_median_and_scans_are_summed() -> None:
    found = figures("q", "SELECT", [scan(1, 4), scan(2, 6)], [3.0, 1.0, 2.0])
    assert found == QueryFigures("q", "SELECT", 2.0, (3.0, 1.0, 2.0), 3, 10, 20, 80)
    assert figures("q", "", [], [1.0, 4.0]).seconds == 2.5
    assert figures("q", "", [], [1.0]).files_total == 0


def test_what_nobody_knows_of_one_scan_is_not_known_of_the_query() -> None:
    found = figures("q", "", [scan(1, 4), scan(None, None, None, None)], [1.0])
    assert (found.files_read, found.files_total, found.bytes_read, found.bytes_total) == (None,) * 4


class Runs:
    """A session whose queries have two scans, and which notes what runs."""

    def __init__(self, fake: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran: list[str] = []
        monkeypatch.setattr(fake, "sql", self.sql)

    def sql(self, statement: str) -> Any:
        runs = self.ran

        class Result:
            write = property(lambda self: self)
            columns = ("table",)

            def collect(self) -> list[Row]:
                runs.append(statement)
                return [scan(1, 4), scan(2, 6)]

            def format(self, name: str) -> Result:
                assert name == "noop"
                return self

            def mode(self, name: str) -> Result:
                assert name == "overwrite"
                return self

            def save(self) -> None:
                runs.append(statement)

        return Result()


@pytest.fixture
def ran(fake: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return Runs(fake, monkeypatch).ran


def test_queries_are_planned_first_and_run_as_often_as_asked(fake: FakeSpark, ran: list[str]) -> None:
    table = ZOrderTable.forName(fake.as_session(), "t")
    found = table.benchmark({"one": "SELECT 1", "two": "SELECT 2"}, runs=2)
    assert ran == [
        "EXPLAIN SKIPPING SELECT 1",
        "EXPLAIN SKIPPING SELECT 2",
        "SELECT 1",
        "SELECT 1",
        "SELECT 2",
        "SELECT 2",
    ]
    assert [(q.name, q.query, len(q.runs), q.files_read, q.files_total) for q in found.queries] == [
        ("one", "SELECT 1", 2, 3, 10),
        ("two", "SELECT 2", 2, 3, 10),
    ]
    assert found.texts == {"one": "SELECT 1", "two": "SELECT 2"}
    assert len(table.benchmark("SELECT 1").queries[0].runs) == 3


@pytest.mark.parametrize(
    ("queries", "runs", "condition"),
    [
        ([], 3, "ZORDER_EMPTY_ARGUMENT"),
        (" ", 3, "ZORDER_EMPTY_ARGUMENT"),
        ({"a": ""}, 3, "ZORDER_EMPTY_ARGUMENT"),
        ("SELECT 1", 0, "ZORDER_UNKNOWN_ARGUMENT"),
        (1, 3, "ZORDER_INVALID_TYPE"),
        ([1], 3, "ZORDER_INVALID_TYPE"),
        ({"a": 1}, 3, "ZORDER_INVALID_TYPE"),
        ("SELECT 1", 1.5, "ZORDER_INVALID_TYPE"),
        ("SELECT 1", True, "ZORDER_INVALID_TYPE"),
    ],
)
def test_wrong_arguments(fake: FakeSpark, ran: list[str], queries: Any, runs: Any, condition: str) -> None:
    with pytest.raises((ZOrderValueError, ZOrderTypeError)) as error:
        ZOrderTable.forName(fake.as_session(), "t").benchmark(queries, runs=runs)
    assert error.value.getCondition() == condition
    assert ran == []


def test_figures_are_printed() -> None:
    assert str(Benchmark([query("q", 0.126), query("long" * 20, 12.26, None, None)])).splitlines() == [
        "query                                             seconds    files               bytes",
        "q                                                  0.13 s  3 of 48  1.00 MB of 4.00 MB",
        "longlonglonglonglonglonglonglonglonglonglonglon…   12.3 s  unknown             unknown",
    ]


def test_a_comparison_is_printed() -> None:
    before, after = Benchmark([query("q", 3.0, 48, 4_000_000)]), Benchmark([query("q", 1.5)])
    compared = after.compared_with(before)
    assert str(compared).splitlines() == [
        "query           seconds   ratio                files               bytes  ratio of bytes",
        "q      3.00 s -> 1.50 s  2.00 x  48 of 48 -> 3 of 48  4.00 MB -> 1.00 MB          4.00 x",
    ]
    assert repr(compared) == str(compared)
    assert "2.00 x" in compared._repr_html_()
    (row,) = compared.rows()
    assert (row["seconds_ratio"], row["files_before"], row["files_after"], row["bytes_ratio"]) == (2.0, 48, 3, 4.0)


def test_ratios_of_nothing() -> None:
    assert (ratio(0, 0), ratio(1, 0), ratio(0, 1), ratio(None, 1)) == (1.0, None, 0.0, None)


def test_other_queries_cannot_be_compared() -> None:
    with pytest.raises(ZOrderValueError) as error:
        Benchmark([query("q", 1.0)]).compared_with(Benchmark([query("q", 1.0), query("r", 1.0)]))
    assert error.value.getCondition() == "ZORDER_OTHER_QUERIES"
    assert error.value.getMessageParameters() == {"queries": "'r'"}
    with pytest.raises(ZOrderTypeError):
        Benchmark([]).compared_with({})  # type: ignore[arg-type]


def test_figures_are_kept(tmp_path: Path) -> None:
    found = Benchmark([query("q", 0.1 + 0.2), query("r", 2.0, None, None)])
    file = found.save(tmp_path / "before.json")
    assert Benchmark.load(file).queries == found.queries
    with pytest.raises(ZOrderFileExistsError) as error:
        found.save(file)
    assert error.value.getCondition() == "ZORDER_PATH_EXISTS"
    Benchmark([]).save(file, overwrite=True)
    assert Benchmark.load(file).queries == ()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"form": "other"}', '{"form": "spark-zorder benchmark 1", "queries": [{}]}']
)
def test_other_files_are_no_figures(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ZOrderValueError) as error:
        Benchmark.load(tmp_path / "x.json")
    assert error.value.getCondition() == "ZORDER_NOT_A_BENCHMARK"
    assert error.value.getMessageParameters() == {"path": str(tmp_path / "x.json")}


@pytest.fixture
def session(fake: FakeSpark, ran: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from contextlib import nullcontext

    monkeypatch.setattr(measuring, "spark_for", lambda *_: nullcontext(fake))
    return ran


def test_on_the_command_line(session: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "before.json")
    words = ["benchmark", "t", "--query", "SELECT 1", "--runs", "1"]
    assert main([*words, "--save", file]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["query", "seconds", "files", "bytes"]
    assert out[-1] == f"Written: {file}"
    assert session == ["EXPLAIN SKIPPING SELECT 1", "SELECT 1"]
    assert main([*words, "--compare", file, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["files_before"] for row in document["compared"]] == [3]
    assert [row["name"] for row in document["rows"]] == ["SELECT 1"]


def test_files_are_looked_at_before_anything_runs(session: list[str], tmp_path: Path) -> None:
    file = tmp_path / "there.json"
    file.touch()
    assert main(["benchmark", "t", "--query", "SELECT 1", "--save", str(file)]) == 1
    assert main(["benchmark", "t", "--query", "SELECT 1", "--compare", str(file)]) == 1
    other = Benchmark([query("q", 1.0)]).save(tmp_path / "other.json")
    assert main(["benchmark", "t", "--query", "SELECT 1", "--compare", str(other)]) == 1
    assert main(["benchmark", "t", "--query", "SELECT 1", "--compare", str(tmp_path / "not there")]) == 1
    assert session == []
