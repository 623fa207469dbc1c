# SPDX-License-Identifier: Apache-2.0

"""What notebooks show of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from pyspark.sql import Row

from spark_zorder import ZOrderTable, explain_skipping
from spark_zorder._result import MOST_ROWS, readable, result_html
from tests.conftest import FakeSpark

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

GAINS = [
    Row(column="a<b>", point_read_share_before=1.0, point_read_share_after=0.25),
    Row(column="c", point_read_share_before=None, point_read_share_after=None),
]


class Frame:
    """As much of a DataFrame as is needed; of Spark Connect, where any name is a column's."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.columns = list(rows[0].__fields__) if rows else ["file"]
        self.taken: list[int] = []

    def __getattr__(self, name: str) -> str:
        return f"Column<{name}>"

    def take(self, count: int) -> list[Row]:
        self.taken.append(count)
        return self.rows[:count]

    def count(self) -> int:
        return len(self.rows)

    def _repr_html_(self) -> str:
        return "PySpark's own"


def shown(*rows: Row) -> str:
    data = readable(cast("DataFrame", Frame(list(rows))))
    return str(cast("Any", data)._repr_html_())


def test_a_result_stays_what_it_is() -> None:
    frame = Frame([Row(file="f")])
    data = readable(cast("DataFrame", frame))
    assert data is cast("Any", frame)
    # Nothing is asked before it is shown.
    assert frame.taken == []
    assert Frame([])._repr_html_() == "PySpark's own"


def test_rows_with_units_and_without_tags() -> None:
    html = shown(Row(column="<script>", files=1234, size="12.4 MB", bytes=12_400_000, point_read_share=0.25))
    assert "<script>" not in html
    for text in ("&lt;script&gt;", "1,234", "12.4 MB", "point read share", "25 %", "width:25%"):
        assert text in html
    assert "more" not in html


def test_text_that_looks_like_a_share_is_no_share() -> None:
    assert "width:" not in shown(Row(column="c", min="25 %")).replace("max-width", "")


def test_at_most_fifty_rows_and_how_many_are_left_out() -> None:
    rows = [Row(file=f"part-{i:04}") for i in range(MOST_ROWS + 1200)]
    html = shown(*rows)
    assert html.count("part-") == MOST_ROWS
    assert "... and 1,200 more rows." in html
    assert "1 more row." in shown(*rows[: MOST_ROWS + 1])
    assert "more" not in shown(*rows[:MOST_ROWS])


def test_no_rows() -> None:
    html = shown()
    assert "No rows." in html
    assert "file" in html


def test_the_row_of_optimize_is_its_summary_and_what_columns_gained() -> None:
    html = shown(Row(path="/t", metrics=Row(x=1), layout=GAINS, summary="a <- 25 %; 24 s"))
    for text in ("a &lt;- 25 %; 24 s", "a&lt;b&gt;", "point read share before", "100 %", "25 %"):
        assert text in html
    assert "metrics" not in html
    nothing = shown(Row(path="/t", metrics=None, layout=[], summary="nothing to do"))
    assert "nothing to do" in nothing
    assert "<table" not in nothing


def test_advice_has_its_statement_and_its_warnings_below() -> None:
    row = Row(rank=1, columns=["a", "b"], read_share=0.2, statement="OPTIMIZE `<t>`", warnings=["few <files>"])
    html = shown(row, Row(**{**row.asDict(), "rank": 2, "warnings": None}))
    assert "a, b" in html
    assert "Run: <code>OPTIMIZE `&lt;t&gt;`</code>" in html
    assert html.count("Note: few &lt;files&gt;") == 1
    assert html.index("</table>") < html.index("Run:")
    assert "No rows." in result_html(["rank", "statement", "warnings"], [])


def test_words_and_their_reason() -> None:
    html = shown(Row(column="a", verdict="good", reason="lookups read 0.2"))
    assert "good" in html
    assert "lookups read 0.2" in html


def test_showing_never_raises() -> None:
    frame = Frame([Row(file="f")])
    data = cast("Any", readable(cast("DataFrame", frame)))
    vars(frame)["take"] = None
    assert data._repr_html_() == "PySpark's own"
    without_attributes: Any = "rows"
    assert readable(without_attributes) is without_attributes


class FrameSpark(FakeSpark):
    def sql(self, statement: str) -> Any:
        self.statements.append(statement)
        return Frame([Row(file="f")])


@pytest.mark.parametrize(
    "call",
    [
        lambda table, _: table.describeLayout("a"),
        lambda table, _: table.advise(),
        lambda table, _: table.layout(),
        lambda table, _: table.files("a"),
        lambda table, _: table.computeFileStatistics(),
        lambda table, _: table.optimize().executeZOrderBy("a"),
        lambda table, _: table.optimize().dryRun("a"),
        lambda _, spark: explain_skipping(spark, "SELECT 1"),
    ],
)
def test_all_results_are_shown(call: Callable[[ZOrderTable, SparkSession], Any]) -> None:
    fake = FrameSpark({}, {"interleave_bits"})
    spark = fake.as_session()
    data = call(ZOrderTable.forName(spark, "t"), spark)
    assert "<table" in data._repr_html_()
    # It ran once, when it was called.
    assert len(fake.statements) == 1


def test_ipython_shows_them_though_any_name_is_a_column() -> None:
    formatters = pytest.importorskip("IPython.core.formatters")
    show = formatters.HTMLFormatter()
    assert show(Frame([Row(file="f")])) is None
    assert "<table" in show(readable(cast("DataFrame", Frame([Row(file="f")]))))
