# SPDX-License-Identifier: Apache-2.0

"""Layouts from footers alone; tests/launch/test_footers.py compares them with Spark's own answers."""

from __future__ import annotations

import datetime as dt
import json
import random
import struct
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_zorder import _footers
from spark_zorder._cli import main, statements
from spark_zorder._footers import NotCertain, fitting, text, verdicts
from spark_zorder._footers.clusterings import state_of
from spark_zorder._layout.ranges import NO_VALUE, UNKNOWN, FileRanges

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = "00000000000000000001.log1"


def write(folder: Path, name: str, **columns: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), folder / name)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    folder = tmp_path / "t"
    for i in range(4):
        write(folder, f"{i}.parquet", a=[10 * i, 10 * i + 9], s=["a", "z"])
    return folder


def layout(folder: Path, *columns: str) -> dict[str, dict[str, Any]]:
    return {row["column"]: row for row in _footers.layout_of(folder, columns)}


def test_a_layout(table: Path) -> None:
    found = layout(table)
    assert list(found) == ["a", "s"]
    a, s = found["a"], found["s"]
    assert (a["files"], a["rows"], a["min"], a["max"], a["null_count"]) == (4, 8, "0", "39", 0)
    assert (a["point_read_share"], a["standard_error"], a["verdict"]) == (0.25, 0.0, "good")
    assert (a["max_depth"], a["depth_histogram"], a["average_overlaps"]) == (1, {1: 4}, 0.0)
    assert (s["point_read_share"], s["verdict"], s["depth_histogram"]) == (1.0, "poor", {4: 4})
    assert a["bytes"] == sum(file.stat().st_size for file in table.iterdir())


def test_the_files(table: Path) -> None:
    rows = _footers.files_of(table, ["a"])
    assert [(row["file"], row["min"], row["max"], row["row_groups"]) for row in rows] == [
        (f"{i}.parquet", str(10 * i), str(10 * i + 9), 1) for i in range(4)
    ]


def test_partitions(tmp_path: Path) -> None:
    for p in "ab":
        write(tmp_path / "t" / f"p={p}", "0.parquet", x=[1.5, None])
    assert [row["partition"] for row in _footers.files_of(tmp_path / "t", [])] == ["p=a", "p=b"]
    x = layout(tmp_path / "t")["x"]
    # Arrow leaves NaN out of bounds.
    assert (x["min"], x["max"], x["null_count"], x["rows"]) == ("1.5", "1.5", 2, 4)


def test_timestamps_of_spark_have_no_bounds(tmp_path: Path) -> None:
    days = [dt.datetime(2024, 1, 1), None]
    for i, values in enumerate([days, [None, None]]):
        (tmp_path / "t").mkdir(exist_ok=True)
        data = pa.table({"ts": pa.array(values, pa.timestamp("us"))})
        pq.write_table(data, tmp_path / "t" / f"{i}.parquet", use_deprecated_int96_timestamps=True)
    ts = layout(tmp_path / "t")["ts"]
    assert (ts["min"], ts["null_count"], ts["point_read_share"], ts["depth_histogram"]) == (None, None, 1.0, {2: 2})
    assert ts["reason"].startswith(
        f"every file is read: the files were written without them; OPTIMIZE '{tmp_path / 't'}'"
    )
    (tmp_path / "t" / "1.parquet").unlink()
    assert layout(tmp_path / "t")["ts"]["verdict"] == "no statistics"
    names, ((*_, reason),) = _footers.layout_for_people(tmp_path / "t", [])
    assert (names[-1], reason) == ("reason", "OPTIMIZE writes them")


def spoil_delta(folder: Path) -> None:
    (folder / "_delta_log").mkdir()


def spoil_above(folder: Path) -> None:
    (folder.parent / "_delta_log").mkdir()


def spoil_part(folder: Path) -> None:
    (folder.parent / "_zorder").mkdir()


def spoil_paimon(folder: Path) -> None:
    (folder.parent / "manifest").mkdir()
    (folder.parent / "snapshot").mkdir()
    (folder.parent / "snapshot" / "snapshot-1").touch()


def spoil_open_rewrite(folder: Path) -> None:
    log = folder / "_zorder" / "log"
    log.mkdir(parents=True)
    (log / f"{CLOSED}.json").write_text(json.dumps({"version": 3, "entry": {"id": "r1"}}))
    # The hint of another rewrite of that number.
    (log / f"{CLOSED}.r0.closed").touch()


def spoil_index(folder: Path) -> None:
    (folder / "_zorder" / "statistics").mkdir(parents=True)
    (folder / "_zorder" / "statistics" / "v3-00000001-x.index").touch()


def spoil_summary(folder: Path) -> None:
    (folder / "_metadata").touch()


def spoil_folder(folder: Path) -> None:
    write(folder / "more", "0.parquet", a=[1], s=["a"])


def spoil_depth(folder: Path) -> None:
    write(folder / "p=1", "0.parquet", a=[1], s=["a"])


def spoil_schema(folder: Path) -> None:
    write(folder, "5.parquet", a=[1.5], s=["a"])


def spoil_order(folder: Path) -> None:
    write(folder, "5.parquet", s=["a"], a=[1])


def spoil_link(folder: Path) -> None:
    (folder / "5.parquet").symlink_to(folder / "0.parquet")


def spoil_format(folder: Path) -> None:
    (folder / "5.parquet").write_text("a,s\n1,x\n")


def spoil_name(folder: Path) -> None:
    write(folder, "with a space.parquet", a=[1], s=["a"])


@pytest.mark.parametrize(
    "spoil",
    [
        spoil_delta,
        spoil_above,
        spoil_part,
        spoil_paimon,
        spoil_open_rewrite,
        spoil_index,
        spoil_summary,
        spoil_folder,
        spoil_depth,
        spoil_schema,
        spoil_order,
        spoil_link,
        spoil_format,
        spoil_name,
    ],
)
def test_what_only_spark_can_judge(table: Path, spoil: Any) -> None:
    spoil(table)
    with pytest.raises(NotCertain):
        _footers.layout_of(table, [])
    with pytest.raises(NotCertain):
        _footers.files_of(table, [])


def noted(kind: Any, metadata: dict[str, Any]) -> dict[bytes, str]:
    fields = [{"name": "a", "type": kind, "nullable": True, "metadata": metadata}]
    return {b"org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": fields})}


@pytest.mark.parametrize(
    ("column", "metadata"),
    [
        (pa.array([1], pa.uint32()), None),
        (pa.array([1], pa.timestamp("ns")), None),
        (pa.array([1], pa.time64("us")), None),
        (pa.nulls(1), None),
        (pa.array([b"0123456789abcdef"], pa.binary(16)), None),
        (pa.array([{"metadata": b"", "value": b""}]), None),
        (pa.array([1], pa.int64()), noted("interval day to second", {})),
        (pa.array(["x"]), noted("string", {"__COLLATIONS": {"a": "icu.UNICODE_CI"}})),
        (pa.array(["x"]), noted({"type": "udt"}, {})),
    ],
)
def test_types_that_only_spark_can_judge(tmp_path: Path, column: Any, metadata: Any) -> None:
    data = pa.table({"a": column})
    (tmp_path / "t").mkdir()
    pq.write_table(data.replace_schema_metadata(metadata), tmp_path / "t" / "0.parquet", version="2.6")
    with pytest.raises(NotCertain):
        _footers.layout_of(tmp_path / "t", [])


def test_names_are_those_of_the_files(table: Path) -> None:
    for names in (["A"], ["a", "a"], ["nothing"], ["a"] * 17):
        with pytest.raises(NotCertain):
            _footers.layout_of(table, names)


def test_a_closed_rewrite_hides_nothing(table: Path) -> None:
    spoil_open_rewrite(table)
    (table / "_zorder" / "log" / f"{CLOSED}.r1.closed").touch()
    assert layout(table)["a"]["files"] == 4


def test_columns_of_the_layout_count(table: Path) -> None:
    indexed = []
    for i in range(4):
        state = (table / f"{i}.parquet").stat()
        indexed.append(
            {
                "file": f"{i}.parquet",
                "size": state.st_size,
                "modification_time": state.st_mtime_ns // 1_000_000,
                "clustering": {"columns": [["a"], ["s"]]},
                "state": state_of(state),
            }
        )
    folder = table / "_zorder" / "statistics"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(indexed), folder / "v2-00000001-x.index")
    # Two columns share four files: of each, half of them are the least.
    assert layout(table, "s")["s"]["reason"] == "each file has nearly all values"
    assert verdicts.sharing(_clusterings(table), ("s",), 1) == 2
    # A copy of the table has other inodes, of which the statistics index knows nothing.
    (table / "0.parquet").chmod(0o600)
    assert len(_clusterings(table)) == 3
    # Where everybody may write, who wrote the index is for the statement to judge.
    table.chmod(0o1777)
    with pytest.raises(NotCertain, match="others than the owner"):
        _clusterings(table)
    table.chmod(0o1755)
    assert len(_clusterings(table)) == 3


def _clusterings(table: Path) -> Any:
    from spark_zorder._footers.table import open_table

    return open_table(table).clusterings


@pytest.mark.parametrize(
    ("words", "asks_spark"),
    [
        (["layout", "T"], False),
        (["files", "T", "--on", "a"], False),
        (["layout", "T", "--json"], False),
        (["layout", "T", "--extended"], False),
        (["layout", "T", "--format", "parquet"], True),
        (["layout", "T", "--spark"], True),
        (["layout", "T", "--where", "p = 1"], True),
        (["layout", "T", "--conf", "spark.a=b"], True),
        (["layout", "T", "--master", "local[1]"], True),
        (["layout", "T", "--format", "delta"], True),
        (["layout", "T", "--delta"], True),
        (["layout", "T", "--iceberg"], True),
        (["files", "T", "--packages", "g:a:1"], True),
    ],
)
def test_when_spark_is_asked(table: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], asks_spark: bool) -> None:
    class Asked(Exception):
        pass

    def spark_for(*_: Any, **__: Any) -> None:
        raise Asked

    monkeypatch.setattr(statements, "spark_for", spark_for)
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    assert main([str(table) if word == "T" else word for word in words]) == int(asks_spark)


def test_settings_that_matter_ask_spark(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "spark_for", lambda *_: pytest.fail("Spark is not needed"))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.sql.extensions=x pyspark-shell")
    assert main(["layout", str(table)]) == 0
    for matters in ("spark.sql.session.timeZone=UTC", "spark.driver.extraJavaOptions=-Duser.timezone=UTC"):
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--conf {matters} pyspark-shell")
        with pytest.raises(pytest.fail.Exception):
            main(["layout", str(table)])


def test_settings_of_java_and_of_hadoop_ask_spark(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "spark_for", lambda *_: pytest.fail("Spark is needed"))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert main(["layout", str(table)]) == 0
    with monkeypatch.context() as inner:
        inner.setenv("SPARK_SUBMIT_OPTS", "-Duser.timezone=UTC")
        with pytest.raises(pytest.fail.Exception):
            main(["layout", str(table)])
    (tmp_path / "core-site.xml").write_text("<configuration/>")
    with pytest.raises(pytest.fail.Exception):
        main(["layout", str(table)])


@given(st.lists(st.one_of(st.tuples(st.integers(0, 30), st.integers(0, 30)), st.sampled_from([UNKNOWN, NO_VALUE]))))
def test_ranges_are_those_of_brute_force(drawn: list[Any]) -> None:
    ranges = [each if isinstance(each, str) else (min(each), max(each)) for each in drawn]

    def holds(each: Any, value: int) -> bool:
        return bool(each == UNKNOWN or (each != NO_VALUE and each[0] <= value <= each[1]))

    found = FileRanges(ranges)
    assert [found.depth_at(v) for v in range(31)] == [sum(holds(each, v) for each in ranges) for v in range(31)]
    deepest = [
        max((found.depth_at(v) for v in range(31) if holds(each, v)), default=1) if each != NO_VALUE else 1
        for each in ranges
    ]
    assert found.max_depth == max(deepest, default=0)
    assert found.average_depth == (sum(deepest) / len(deepest) if deepest else 0.0)
    assert sum(found.depth_histogram.values()) == len(ranges)


def test_steps_of_the_histogram() -> None:
    depths = {n: FileRanges([(0, 0)] * n).depth_histogram for n in (16, 17, 32, 33)}
    assert depths == {16: {16: 16}, 17: {32: 17}, 32: {32: 32}, 33: {64: 33}}


@pytest.mark.parametrize(
    ("share", "axes", "expected"),
    [
        (0.02, 1, ("good", "lookups read 0.020, least 0.016")),
        (0.12, 2, ("good", "lookups read 0.12 of files")),
        (0.4, 2, ("fair", "lookups read 0.40, least 0.13")),
        (0.6, 2, ("poor", "lookups read 0.60, least 0.13")),
        (0.95, 2, ("poor", "each file has nearly all values")),
        (None, 2, ("no value", "only NULL: nothing to look up")),
    ],
)
def test_verdicts(share: float | None, axes: int, expected: tuple[str, str]) -> None:
    ranges = FileRanges([(i, i) for i in range(64)])
    assert verdicts.verdict(ranges, share, axes, "") == expected


def test_verdicts_on_unknown_files() -> None:
    assert verdicts.verdict(FileRanges([(0, 1), UNKNOWN]), 0.8, 1, "") == ("poor", "no statistics in 1 of 2 files")
    assert verdicts.verdict(FileRanges([UNKNOWN]), 1.0, 1, "why") == ("no statistics", "why")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1e-3, "0.001"),
        (9.99e-4, "9.99E-4"),
        (9999999.0, "9999999.0"),
        (1.5e7, "1.5E7"),
        (1.25e15, "1.25E15"),
        (-1.5e-299, "-1.5E-299"),
        (-123456789.125, "-1.23456789125E8"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_doubles_are_printed_as_java_does(value: float, expected: str) -> None:
    assert text.double(value) == expected


@pytest.mark.parametrize("value", [1e16, -7.671858207796866e16, 4.9e-324])
def test_numbers_that_versions_of_java_print_differently(value: float) -> None:
    with pytest.raises(NotCertain):
        text.double(value)
    with pytest.raises(NotCertain):
        text.single(46455648.0)


def test_floats_are_told_by_few_digits() -> None:
    drawn = random.Random(1)  # noqa: S311
    for _ in range(500):
        (value,) = struct.unpack("f", struct.pack("f", drawn.uniform(-1e5, 1e5)))
        assert struct.pack("f", float(text.single(value))) == struct.pack("f", value)
        assert len(text.single(value).replace(".", "").lstrip("-").strip("0")) <= 9


def test_decimals_are_printed_as_java_does() -> None:
    assert [text.decimal(*d) for d in ((5, 7), (-12345, 2), (0, 0))] == ["5E-7", "-123.45", "0"]
    assert text.decimal(10**37, 0) == "1" + "0" * 37


def test_old_times_are_left_to_spark() -> None:
    for printed in (text.date, text.date_and_time):
        with pytest.raises(NotCertain):
            printed(-(10**16) if printed is text.date_and_time else -40_000)


def test_names_and_bounds_are_cut_to_fit() -> None:
    names = ["column", "min", "reason"]
    rows = [["a" * 60 + "b" * 60, "0123456789abcdef", "why"]]
    ((column, low, reason),) = fitting.fitted(names, rows, bounds=["min"], bound_width=14)
    assert (low, reason) == ("0123456789abc…", "why")
    assert column[0] == "a"
    assert column[-1] == "b"
    assert len(column) + len(low) + len("reason") + 4 == 120
    with pytest.raises(NotCertain):
        fitting.fitted(names, [["a", "é", "why"]], bounds=["min"], bound_width=14)


def test_zeros_are_taken_as_parquet_java_does(tmp_path: Path) -> None:
    write(tmp_path / "t", "0.parquet", x=[0.0, 1.0])
    assert layout(tmp_path / "t")["x"]["min"] == "-0.0"
