# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row
from pyspark.sql import types as T
from synthetic import COLUMNS, clustered, random_order, row

from spark_zorder import ZOrderTable, ZOrderTypeError, ZOrderValueError, plot
from tests.conftest import FakeSpark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession


class Frame:
    """As much of a Spark DataFrame as is needed."""

    def __init__(self, rows: Sequence[dict[str, Any]], schema: T.StructType | None = None) -> None:
        self.rows = [Row(**r) for r in rows]
        self.columns = list(rows[0]) if rows else ["file", "bytes", "column", "min", "max"]
        self.schema = schema or T.StructType()
        self.names: tuple[str, ...] = ()

    def collect(self) -> list[Row]:
        return self.rows

    def select(self, *columns: str) -> Frame:
        fields = [self.schema[column] for column in columns]
        return Frame([], T.StructType(fields))

    def inputFiles(self) -> list[str]:
        return [f"/t/{i}" for i in range(7)]


class DescribingSpark(FakeSpark):
    """Answers what a table's snapshot asks."""

    def __init__(self, answers: dict[str, list[dict[str, Any]]], schema: T.StructType) -> None:
        super().__init__({"spark.sql.extensions": "io.sparkzorder.ZOrderSparkSessionExtension"}, {"interleave_bits"})
        self.answers = answers
        self.schema = schema

    def sql(self, statement: str) -> Any:
        self.statements.append(statement)
        # A table function is named like its statement.
        words = statement.upper().replace("_", " ")
        found = [rows for start, rows in self.answers.items() if start in words]
        return Frame(found[0])

    def table(self, name: str) -> Any:
        return Frame([], self.schema)


SCHEMA = T.StructType(
    [
        T.StructField("dest_lon", T.DoubleType()),
        T.StructField("dest_lat", T.DoubleType()),
        T.StructField("day", T.StringType()),
        T.StructField("carrier", T.StringType()),
    ]
)
LAYOUT = {
    "files": 9,
    "average_overlaps": 1.5,
    "average_depth": 2.5,
    "max_depth": 3,
    "depth_histogram": {3: 4, 2: 5},
    "point_read_share": 0.3,
}


def table_of(answers: dict[str, list[dict[str, Any]]]) -> tuple[ZOrderTable, DescribingSpark]:
    fake = DescribingSpark(answers, SCHEMA)
    return ZOrderTable.forName(cast("SparkSession", fake), "db.t"), fake


def test_rows_of_any_kind() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [*clustered(9), *(row("late", column, None, None, rows=None, null_count=None) for column in COLUMNS)]
    found = plot.extents(rows)
    assert found == plot.extents([Row(**r) for r in rows])
    assert found == plot.extents(Frame(rows))
    # NULLs turn columns of whole numbers into ones of floats.
    assert found == plot.extents(pandas.DataFrame(rows))
    assert found == plot.extents(found)
    assert found.columns == COLUMNS
    assert len(found.files) == 10
    assert found.rows is None
    assert found.kinds == {"dest_lon": "number", "dest_lat": "number", "day": "date", "carrier": "text"}
    assert found.unknown("day") == 1
    assert "late" in [file.path for file in found.files]


def test_a_table_says_its_types_and_measures() -> None:
    layout = [{"column": column, **LAYOUT} for column in ("dest_lon", "day")]
    rows = [r for r in clustered(9) if r["column"] in ("dest_lon", "day")]
    table, fake = table_of({"DESCRIBE LAYOUT EXTENDED": rows, "DESCRIBE LAYOUT": layout})
    found = plot.extents(table, ["dest_lon", "day"])
    assert len(fake.statements) == 2
    assert fake.statements[0] == "DESCRIBE LAYOUT EXTENDED `db`.`t` ON (`dest_lon`, `day`)"
    assert found.name == "db.t"
    assert found.kinds["day"] == "text"
    measure = found.measure("day")
    assert measure.read_share == 0.3
    assert not measure.is_estimated
    assert list(measure.depth_histogram) == [2, 3]
    # A map needs no job over the rows.
    fake.statements.clear()
    plot.extent_map(table, x="dest_lon", y="day")
    assert fake.statements == ["DESCRIBE LAYOUT EXTENDED `db`.`t` ON (`dest_lon`, `day`)"]


def test_a_table_that_is_described_for_people_is_measured_by_its_ranges() -> None:
    rows = [r for r in clustered(9) if r["column"] == "day"]
    table, _ = table_of(
        {"DESCRIBE LAYOUT EXTENDED": rows, "DESCRIBE LAYOUT": [{"column": "day", "files": 9, "size": "1 MB"}]}
    )
    assert plot.extents(table, "day").measure("day").is_estimated


def test_columns_of_null_only_and_unknown_ones() -> None:
    rows = [
        row("a", "c", "1", "2"),
        row("b", "c", None, None, rows=10, null_count=10),
        row("d", "c", None, None, rows=10, null_count=3),
    ]
    found = plot.extents(rows)
    assert found.unknown("c") == 1
    assert found.depths("c").depths == [2, 1, 2]
    # A lookup reads its own file and the unknown one, of three.
    assert found.measure("c").read_share == pytest.approx(2 / 3)


def test_estimates_agree_with_ranges_that_tile() -> None:
    found = plot.extents(clustered(64))
    assert found.measure("dest_lon").read_share == pytest.approx(1 / 8, rel=0.01)
    assert plot.extents(random_order(64)).measure("carrier").read_share == pytest.approx(1)


def test_what_is_no_layout() -> None:
    with pytest.raises(ZOrderValueError, match=r"table has no column bytes\. Give.*DESCRIBE LAYOUT EXTENDED") as caught:
        plot.extents([{"file": "a", "column": "c", "min": "1", "max": "2"}])
    assert caught.value.getCondition() == "ZORDER_NOT_A_LAYOUT"
    with pytest.raises(ZOrderValueError, match="'nope'; it has: dest_lon, dest_lat, day, carrier") as caught:
        plot.extents(clustered(4), ["day", "nope"])
    assert caught.value.getCondition() == "ZORDER_COLUMN_NOT_DESCRIBED"
    with pytest.raises(ZOrderTypeError, match="before must be a ZOrderTable"):
        plot.extent_map(cast("Any", 42), x="a", y="b")
    with pytest.raises(ZOrderTypeError, match="A column must be a string"):
        plot.extents(clustered(4), cast("Any", [1]))
    for wrong in (5, [1]):
        for draw in (plot.extents, plot.depth_histogram, plot.read_shares):
            with pytest.raises(ZOrderTypeError, match="must be a string"):
                draw(clustered(4), columns=cast("Any", wrong))
    assert plot.extents(clustered(4), "`DAY`").columns == ("day",)


@pytest.mark.parametrize("files", [7, 0])
def test_a_table_without_statistics_is_not_one_without_files(files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Frame, "inputFiles", lambda _: ["f"] * files)
    table, _ = table_of({"DESCRIBE LAYOUT EXTENDED": []})
    with pytest.raises(ZOrderValueError, match=r"db\.t ") as caught:
        plot.depth_histogram(table)
    assert caught.value.getCondition() == ("ZORDER_NO_STATISTICS_OF_ANY_COLUMN" if files else "ZORDER_NO_FILES")
    # Of columns asked for there are rows, if there are files.
    assert plot.extents(table, "day").files == ()


def test_versions_are_those_of_delta_tables() -> None:
    rows = [r for r in clustered(9) if r["column"] == "day"]
    detail = {"format": "delta", "location": "file:/data/it`s"}
    table, fake = table_of({"DESCRIBE DETAIL": [detail], "DESCRIBE LAYOUT": rows})
    found = plot.extents(table, "day", version=3)
    assert found.name == "db.t, version 3"
    assert fake.statements[1] == "DESCRIBE LAYOUT EXTENDED delta.`file:/data/it``s@v3` ON (`day`)"
    detail["format"] = "parquet"
    with pytest.raises(ZOrderValueError, match="only Delta tables") as caught:
        plot.extents(table, version=3)
    assert caught.value.getCondition() == "ZORDER_NO_VERSIONS"
    with pytest.raises(ZOrderTypeError, match="version must be an int"):
        plot.extents(table, version=cast("Any", "3"))
    with pytest.raises(ZOrderTypeError, match="table with a version must be a ZOrderTable"):
        plot.extents(rows, version=3)


def test_versions_of_a_missing_table_are_not_said_to_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = AnalysisException(message="typo", errorClass="TABLE_OR_VIEW_NOT_FOUND", messageParameters={})
    table, fake = table_of({})

    def fails(_: str) -> Any:
        raise missing

    monkeypatch.setattr(fake, "sql", fails)
    with pytest.raises(ZOrderValueError) as without:
        plot.extents(table, version=3)
    assert without.value.getCondition() == "ZORDER_NO_VERSIONS"
    monkeypatch.setattr(fake, "table", fails)
    with pytest.raises(AnalysisException) as caught:
        plot.extents(table, version=3)
    assert caught.value is missing


def test_cards_of_snapshots() -> None:
    card = plot.extents(clustered(9))._repr_html_()
    assert "files <b>9</b>" in card
    assert "dest_lon" in card
    assert "estimated" in card
    assert "<script>" not in plot.extents([row("a", "<script>", "1", "2")])._repr_html_()
    assert "files <b>0</b>" in plot.extents([])._repr_html_()


def test_cards_of_tables_use_metadata_alone() -> None:
    plan = "Relation [a] parquet, Statistics(sizeInBytes=10.7 MiB)"
    table, fake = table_of(
        {
            "DESCRIBE TABLE EXTENDED": [{"col_name": "Provider", "data_type": "parquet"}],
            "EXPLAIN COST": [{"plan": plan}],
        }
    )
    card = table._repr_html_()
    assert "db.t" in card
    assert "format <b>parquet</b> · files <b>7</b> · size <b>10.7 MiB</b>" in card
    assert fake.statements == ["DESCRIBE TABLE EXTENDED `db`.`t`", "EXPLAIN COST TABLE `db`.`t`"]


@pytest.mark.parametrize("provider", ["hudi", "jdbc"])
def test_cards_leave_out_what_the_source_does_not_tell(provider: str) -> None:
    table, _ = table_of(
        {
            "DESCRIBE TABLE EXTENDED": [
                {"col_name": "Provider", "data_type": provider},
                {"col_name": "Table Properties", "data_type": "[sort.columns=day]"},
            ],
            "EXPLAIN COST": [{"plan": "RelationV2[a] t, Statistics(sizeInBytes=8.0 EiB)"}],
        }
    )
    card = table._repr_html_()
    assert f"format <b>{provider}</b></div>" in card
    assert "Ordered by day" in card


def test_cards_of_iceberg_tables_ask_its_metadata_tables() -> None:
    rows = [r for r in clustered(9) if r["column"] in ("dest_lon", "day")]
    table, fake = table_of(
        {
            "DESCRIBE TABLE EXTENDED": [{"col_name": "Provider", "data_type": "iceberg"}],
            "SELECT COUNT(*)": [{"numFiles": 9, "sizeInBytes": 2_000_000}],
            "SELECT SUMMARY": [{"columns": "dest_lon, day"}],
            "DESCRIBE LAYOUT EXTENDED": rows,
        }
    )
    card = table._repr_html_()
    assert "format <b>iceberg</b> · files <b>9</b> · size <b>2.00\u00a0MB</b>" in card
    assert "33\u00a0%" in card
    # The planner's size is that of the rows in memory.
    assert not [statement for statement in fake.statements if "COST" in statement]


def test_cards_show_what_a_table_is_clustered_by() -> None:
    rows = [r for r in clustered(9) if r["column"] in ("dest_lon", "day")]
    detail = {"numFiles": 9, "sizeInBytes": 2_000_000, "properties": {"sort.columns": "dest_lon, `day`"}}
    table, fake = table_of(
        {
            "DESCRIBE TABLE EXTENDED": [{"col_name": "Provider", "data_type": "delta"}],
            "DESCRIBE DETAIL": [detail],
            "DESCRIBE LAYOUT EXTENDED": rows,
        }
    )
    card = table._repr_html_()
    assert "2.00\u00a0MB" in card
    assert "33\u00a0%" in card
    assert fake.statements[-1] == "DESCRIBE LAYOUT EXTENDED `db`.`t` ON (`dest_lon`, `day`)"
    # Too many files to look at for a card.
    detail["numFiles"] = 100_000
    assert "Ordered by dest_lon, `day`" in table._repr_html_()


def test_a_card_never_raises(fake: FakeSpark) -> None:
    table = ZOrderTable.forName(fake.as_session(), "db.`<b>`")
    assert table._repr_html_() == "<code>ZOrderTable(`db`.`&lt;b&gt;`)</code>"


def test_bounds_that_do_not_compare_as_the_values_tell_nothing() -> None:
    found = plot.extents([row("f", "a", "z", "b"), row("f", "b", "1", "2")])
    assert (found.files[0].range_of("a"), found.files[0].range_of("b")) == (None, ("1", "2"))
    assert found.unknown("a") == 1
    assert found.depths("a").max_depth == 1


def test_two_states_that_spell_a_column_differently() -> None:
    before, after = [row("f", "A", "1", "5")], [row("g", "a", "1", "5"), row("g", "c", "1", "5")]
    for draw in (plot.depth_histogram, plot.read_shares):
        draw(before, after)
    plot.extents_along(before, after, column="a")
