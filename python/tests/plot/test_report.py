# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
import stat
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import types as T
from synthetic import HOSTILE, clustered, hostile, many_columns, random_order, row

import spark_zorder
from spark_zorder import (
    ZOrderFileExistsError,
    ZOrderFileNotFoundError,
    ZOrderImportError,
    ZOrderTypeError,
    ZOrderValueError,
    _report,
    plot,
    report,
)
from spark_zorder._layout.extents import axis_of
from spark_zorder._report._advice import advice_of
from spark_zorder._report._example import Example, Side, example_of
from spark_zorder._report._summary import lights_of, verdicts_of
from spark_zorder.plot._states import compared
from tests.plot.test_sources import LAYOUT, Frame, table_of

if TYPE_CHECKING:
    from pathlib import Path

ROWS = clustered(16)


def files_in(folder: Path) -> list[Path]:
    """All files, also hidden ones."""
    return [path for path in folder.iterdir() if path.is_file()]


def test_one_file_that_loads_nothing(tmp_path: Path) -> None:
    path = report(ROWS, ["dest_lon", "day"], tmp_path / "r.html", before=random_order(20))
    assert path == tmp_path / "r.html"
    assert path.stat().st_size < 2_000_000
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR
    assert files_in(tmp_path) == [path]
    text = path.read_text(encoding="utf-8")
    page = text[: text.rindex("</footer>")]
    assert "default-src &#39;none&#39;" in page
    assert "src=" not in page
    assert "<link" not in page
    assert "A point lookup by dest_lon reads 25\u00a0% of the files" in page
    assert "before it was" in page
    assert "Layout of the table" in page
    assert f"spark-zorder {spark_zorder.__version__}" in page


def test_the_example_is_a_box_and_the_files_that_meet_it() -> None:
    def example(rows: list[dict[str, Any]], *columns: str) -> Example | str:
        return example_of(rows, None, compared(plot.extents(rows, columns), None))

    found = example(clustered(16), "dest_lat", "dest_lon")
    assert isinstance(found, Example)
    # Longitude to the right, whichever comes first.
    assert (found.x.axis.column, found.y.axis.column) == ("dest_lon", "dest_lat")
    assert found.condition == "dest_lon BETWEEN -97.9 AND -92.1 AND dest_lat BETWEEN 35.8 AND 38.2"
    assert found.sentence().startswith("This query opens 4 of 16 files, reads 1.0 of 4.0\u00a0MB.")
    # A file of unknown bounds is opened, one without a value is not, and neither bound belongs to the next file.
    rows = [
        r
        for name, x, y, nulls in (
            ("in", ("1", "5"), ("a", "c"), 0),
            ("beside", ("6", "9"), ("a", "c"), 0),
            ("unknown", (None, None), ("a", "c"), 0),
            ("null", (None, None), ("a", "c"), 7000),
        )
        for r in (row(name, "x", *x, null_count=nulls), row(name, "y", *y))
    ]
    sides = [Side(axis_of(c, [plot.extents(rows)]), low, high) for c, low, high in (("x", "2", "5"), ("y", "c", "z"))]
    opened = [file.path for file in plot.extents(rows).files if all(side.meets(file) for side in sides)]
    assert opened == ["in", "unknown"]
    assert "they are known of day only" in str(example(clustered(16), "day"))


def test_why_there_is_no_query(tmp_path: Path) -> None:
    rows = [row(str(i), c, *bounds) for i in range(3) for c, bounds in (("x", ("1", None)), ("y", (None, None)))]
    assert "they are known of no column" in report(rows, None, tmp_path / "r.html").read_text(encoding="utf-8")
    for read, words in (
        (2, "EXPLAIN SKIPPING says 2 of 16 files"),
        (16, "but queries open them all"),
        # As of a table whose reader tells nothing.
        (None, "and EXPLAIN SKIPPING cannot tell"),
    ):
        table, _ = table_of({"EXPLAIN SKIPPING": [{"files_read": read, "files_total": 16}]})
        found = example_of(table, None, compared(plot.extents(ROWS, ["dest_lon", "dest_lat"]), None))
        assert f"opens 4 of 16 files, {words}" in str(found)


def test_the_middle_of_both_columns_may_be_empty() -> None:
    corners = [
        row(str(i), c, str(v), str(v + 1))
        for i, xy in enumerate([(45, 0), (45, 90), (0, 45), (90, 45)])
        for c, v in zip("xy", xy, strict=True)
    ]
    found = example_of(corners, None, compared(plot.extents(corners), None))
    assert isinstance(found, Example)
    assert found.sentence().startswith("This query opens 1 of 4 files")


def test_lights() -> None:
    def light(rows: list[dict[str, Any]], column: str) -> tuple[str, str]:
        found = next(x for x in lights_of(compared(plot.extents(rows), None)) if x.column == column)
        return found.word, found.why

    assert light(clustered(16), "dest_lon") == ("good", "a lookup opens 4 of 16 files on average")
    assert light(random_order(16), "dest_lon")[0] == "reads nearly every file"
    assert light([row(str(i), "c", "1", "9") for i in range(4)], "c")[0] == "reads every file"
    assert light([row("a", "c", None, None), row("b", "c", None, None)], "c")[1] == "the files have no statistics of it"
    assert light([row("a", "c", "1", "2")], "c")[1] == "there is one file, of which nothing can be skipped"
    half = [row(str(i), "c", "1" if i < 4 else "2", "1" if i < 4 else "2") for i in range(8)]
    assert light(half, "c") == ("could be better", "a lookup opens 4 of 8 files on average")


def test_lights_of_two_states_say_what_was_before() -> None:
    def light(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> tuple[str, str, str]:
        (found,) = lights_of(compared(plot.extents(before), plot.extents(now)))
        return found.color, found.word, found.why

    apart = [row(str(i), "c", str(2 * i), str(2 * i + 1)) for i in range(8)]
    alike = [row(str(i), "c", "0", "15") for i in range(6)]
    assert light(apart, alike) == ("worse", "got worse", "1 of 8 files before, 6 of 6 files now")
    assert light(alike, apart) == ("good", "good", "a lookup opens 1 of 8 files on average, 6 of 6 files before")
    assert light(alike, alike)[1:] == ("gains nothing", "a lookup opens 6 of 6 files on average, 6 of 6 files before")


def test_a_column_of_the_table_has_one_notation_and_no_needless_zero() -> None:
    measure = {**LAYOUT, "average_depth": 4.0, "verdict": "good", "reason": "lookups read 0.25 ± 0.020, least <0.001"}
    table, _ = table_of({"DESCRIBE LAYOUT EXTENDED": ROWS, "DESCRIBE LAYOUT": [{"column": "dest_lon", **measure}]})
    found = verdicts_of(compared(plot.extents(table, "dest_lon"), None))[0]
    assert found.words.replace("\u00a0", " ") == "good: lookups read 25 ± 2 %, least <0.1 %"
    assert found.depth == "4 / 3"


def test_a_path_that_exists_is_kept_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("mine")
    with pytest.raises(ZOrderFileExistsError, match=r"r\.html exists and was left as it is.*overwrite=True") as caught:
        report(ROWS, "day", path)
    assert caught.value.getCondition() == "ZORDER_PATH_EXISTS"
    assert isinstance(caught.value, FileExistsError)
    assert path.read_text() == "mine"
    report(ROWS, "day", str(path), overwrite=True)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(ZOrderFileExistsError):
        report(ROWS, "day", tmp_path, overwrite=True)
    with pytest.raises(ZOrderFileNotFoundError, match=r"folder .*missing does not exist") as missing:
        report(ROWS, "day", tmp_path / "missing" / "r.html")
    assert missing.value.getCondition() == "ZORDER_FOLDER_NOT_FOUND"
    with pytest.raises(ZOrderTypeError, match="columns must be a string or a list of strings, but is 5 of type int"):
        report(ROWS, cast("Any", 5), tmp_path / "new.html")
    for wrong, error in (("", ZOrderValueError), (42, ZOrderTypeError)):
        with pytest.raises(error):
            report(ROWS, "day", cast("Any", wrong))


def test_bad_input_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    for rows, columns, condition in (
        ([], None, "ZORDER_NO_FILES"),
        (ROWS, ["nope"], "ZORDER_COLUMN_NOT_DESCRIBED"),
        (ROWS, [f"c{i}" for i in range(17)], "ZORDER_TOO_MANY_COLUMNS"),
        (many_columns(17, 1), None, "ZORDER_TOO_MANY_COLUMNS"),
    ):
        with pytest.raises(ZOrderValueError) as caught:
            report(rows, columns, path)
        assert caught.value.getCondition() == condition
    with pytest.raises(ZOrderValueError, match="before says nothing of the column 'day'"):
        report(ROWS, ["day"], path, before=[row("a", "other", "1", "2")])
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("module", ["plotly", "jinja2"])
def test_without_what_the_extra_brings(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ZOrderImportError, match=rf"{module} is not installed.*spark-zorder\[plot\]"):
        report(ROWS, "day", tmp_path / "r.html")
    assert files_in(tmp_path) == []


def test_names_are_escaped(tmp_path: Path) -> None:
    text = report(hostile(), None, tmp_path / "r.html", title=HOSTILE[0]).read_text(encoding="utf-8")
    page = text[: text.rindex("</footer>")]
    assert "<script>window" not in page
    assert "<img" not in page
    assert "{{" not in page.replace(HOSTILE[2].replace("<", "&lt;"), "").replace("{{ 7 * 7 }}", "")
    assert "&lt;script&gt;window.hacked = 1&lt;/script&gt;" in page


def test_a_table_with_statistics_of_no_column(tmp_path: Path) -> None:
    rows = [row("a", "c", None, None), row("b", "c", None, None)]
    text = report(rows, None, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "No statistics: every lookup reads all files." in text
    assert "along-0" not in text
    one = [row("a", "c", "1", "5")]
    assert "One file" in report(one, None, tmp_path / "one.html").read_text(encoding="utf-8")


class Advised:
    """A table whose `advise` answers, or fails."""

    def __init__(self, answer: Any, smaller: Any = None) -> None:
        self.answer = answer
        self.smaller = smaller

    def __call__(self, *_columns: str, options: Any = None) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return Frame(self.answer if options is None else self.smaller[options["target_file_size"]])


def advice(**others: Any) -> dict[str, Any]:
    """A row of ADVISE LAYOUT."""
    row = {
        "rank": 1,
        "columns": ["dest_lon", "day"],
        "curve": "zorder",
        "target_file_size": 128_000_000,
        "files": 12,
        "read_share": 0.2,
        "read_share_now": 0.9,
        "rewrite_bytes": 5_000_000_000,
        "rewrite_seconds": 240.0,
        "statement": "OPTIMIZE t ZORDER BY (dest_lon, day)",
        "warnings": ["day is <nearly> unique"],
    }
    return {**row, **others}


def test_a_table_that_fits_in_one_file_gets_advice_for_smaller_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    one = advice(files=1, target_file_size=8_388_608, rewrite_bytes=11_485_135, statement=None, warnings=["one file"])
    table, _ = table_of({})
    for smaller, runs in ((advice(), 1), (advice(statement=None), 0)):
        monkeypatch.setattr(spark_zorder.ZOrderTable, "advise", Advised([one], {"717k": [smaller]}), raising=False)
        found = advice_of(table, ["dest_lon", "day"])
        assert len(found.suggestions) == runs
        if runs:
            assert found.suggestions[0].statement == "OPTIMIZE t ZORDER BY (dest_lon, day)"
            assert "8.39 MB" in found.notes[0]
            assert "target_file_size = 717k" in found.notes[0]
        else:
            assert found.reason.startswith("Nothing to run")
            assert found.notes == ["one file"]


def test_advice_that_gains_as_much_as_a_better_one_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = table_of({})
    rows = [advice(statement=s, read_share=r) for s, r in (("A", 0.2), ("B", 0.2), ("C", 0.3), ("D", 0.3001))]
    monkeypatch.setattr(spark_zorder.ZOrderTable, "advise", Advised(rows), raising=False)
    assert [s.statement for s in advice_of(table, ["day"]).suggestions] == ["A", "C"]


def test_verdicts_and_advice_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [r for r in clustered(9) if r["column"] == "dest_lon"]
    layout = [{"column": "dest_lon", **LAYOUT, "standard_error": 0.01, "verdict": "fair", "reason": "nine <b> files"}]
    table, _ = table_of({"DESCRIBE LAYOUT EXTENDED": rows, "DESCRIBE LAYOUT": layout})
    monkeypatch.setattr(spark_zorder.ZOrderTable, "advise", Advised([advice()]), raising=False)
    text = report(table, "dest_lon", tmp_path / "r.html").read_text(encoding="utf-8")
    assert "fair: nine &lt;b&gt; files" in text
    assert "30 ± 2\u00a0%" in text
    assert "No workload was given" in text
    assert "12 files of about 128\u00a0MB" in text
    assert "OPTIMIZE t ZORDER BY (dest_lon, day)" in text
    assert "Rewrites 5.00\u00a0GB, about 4 min." in text
    assert "day is &lt;nearly&gt; unique" in text
    failed = AnalysisException("[SOME_CONDITION] no <advice>")
    worse = advice(statement=None)
    for answer, words in (
        ([worse], "no layout that ADVISE LAYOUT tried reads clearly less"),
        (failed, "no &lt;advice&gt;"),
    ):
        monkeypatch.setattr(spark_zorder.ZOrderTable, "advise", Advised(answer), raising=False)
        assert words in report(table, "dest_lon", tmp_path / "r.html", overwrite=True).read_text(encoding="utf-8")


def test_it_begins_with_the_columns_of_the_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(str(i), c, *(("0", "9") if c in "ab" else (str(i), str(i)))) for i in range(9) for c in "abcd"]

    def first(table: Any) -> list[str]:
        text = report(table, None, tmp_path / "r.html", overwrite=True).read_text(encoding="utf-8")
        return re.findall(r'id="column-\d-title">(.*?)<', text)

    assert first(rows) == ["c", "d", "a", "b"]
    layout = [{"column": c, **LAYOUT} for c in "abcd"]
    table, fake = table_of({"DESCRIBE LAYOUT EXTENDED": rows, "DESCRIBE LAYOUT": layout, "EXPLAIN": []})
    fake.schema = T.StructType([T.StructField(c, T.LongType()) for c in "abcd"])
    monkeypatch.setattr(spark_zorder.ZOrderTable, "advise", Advised([advice()]), raising=False)
    monkeypatch.setattr(_report, "ordered_by", lambda *_: ["`B`", "`d`", "`gone`"])
    assert first(table) == ["b", "d", "a", "c"]


def test_a_table_of_a_path_has_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, fake = table_of({"DESCRIBE LAYOUT EXTENDED": ROWS, "DESCRIBE LAYOUT": [], "EXPLAIN": []})
    table = spark_zorder.ZOrderTable.forPath(fake.as_session(), "/data/trips")
    monkeypatch.setattr(spark_zorder.ZOrderTable, "_has_delta_log", lambda *_: False)
    monkeypatch.setattr(spark_zorder.ZOrderTable, "toDF", lambda _: fake.table("t"))
    monkeypatch.setattr(spark_zorder.ZOrderTable, "advise", Advised([advice()]), raising=False)
    text = report(table, ["dest_lon", "dest_lat"], tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Layout of parquet.`/data/trips`</title>" in text
    assert "EXPLAIN SKIPPING SELECT * FROM parquet.`/data/trips` WHERE" in fake.statements[-1]
    assert "&#39;/data/trips" not in text


def test_a_snapshot_is_reported_under_its_name(tmp_path: Path) -> None:
    found = plot.extents(ROWS, name="db.flights")
    assert "<title>Layout of db.flights</title>" in report(found, None, tmp_path / "r.html").read_text(encoding="utf-8")


def test_what_a_link_points_to_is_written_and_no_device(tmp_path: Path) -> None:
    target, link = tmp_path / "x.html", tmp_path / "latest.html"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    assert report(ROWS, "day", link, overwrite=True) == target
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(ZOrderFileExistsError):
        report(ROWS, "day", "/dev/null", overwrite=True)
