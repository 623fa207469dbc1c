# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
from synthetic import COLUMNS, HOSTILE, clustered, hostile, many_columns, random_order, row

from spark_zorder import ZOrderImportError, ZOrderTypeError, ZOrderValueError, plot
from spark_zorder.plot._map import MOST_FILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from plotly.graph_objects import Figure

BEFORE, AFTER = random_order(20, unknown=2), clustered(16)


def traces(figure: Figure, kind: str) -> list[Any]:
    return [trace for trace in figure.data if trace.type == kind]


def test_the_map_has_a_rectangle_for_each_file_of_known_bounds() -> None:
    figure = plot.extent_map(BEFORE, AFTER, x="dest_lon", y="dest_lat")
    before, after = traces(figure, "bar")
    assert (len(before.x), len(after.x)) == (18, 16)
    lefts = [x - width / 2 for x, width in zip(after.x, after.width, strict=True)]
    assert min(lefts) == pytest.approx(-124)
    assert max(base + height for base, height in zip(after.base, after.y, strict=True)) == pytest.approx(49)
    assert "2 of 20 files before" in figure.layout.title.subtitle.text
    assert figure.layout.xaxis.title.text == "dest_lon"
    assert figure.layout.yaxis.title.text == "dest_lat"
    assert "part-00000" in after.hovertext[0]
    assert "7,0" in after.hovertext[0]
    assert [a.text for a in figure.layout.annotations] == ["before", "after"]
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert len(figure.layout.meta["description"]) > 100


def test_a_heap_of_files_says_how_many_it_has() -> None:
    heap = [row(str(i), c, "0", "9") for i in range(24) for c in "ab"]
    alone = [row("alone", c, "20", "30") for c in "ab"]
    (bars,) = traces(plot.extent_map([*heap, *alone], x="a", y="b"), "bar")
    assert bars.hovertext[0].endswith("and 23 more here")
    assert "more" not in bars.hovertext[-1]


def test_the_map_has_an_outline_only_where_it_is_one() -> None:
    def outlines(**how: Any) -> int:
        return len(traces(plot.extent_map(AFTER, **how), "scatter"))

    assert outlines(x="dest_lon", y="dest_lat") == 2
    assert outlines(x="dest_lon", y="dest_lat", outline=False) == 0
    assert outlines(x="dest_lat", y="dest_lon") == 0
    assert outlines(x="day", y="carrier") == 0
    # The lines are some kilometres off, and would cross the streets of a city.
    city = [row(str(i), *bounds) for i in range(4) for bounds in (("lon", "-74.1", "-73.2"), ("lat", "40.5", "40.9"))]
    figure = plot.extent_map(city, x="lon", y="lat")
    assert traces(figure, "scatter") == []
    assert figure.layout.yaxis.scaleanchor == "x"
    assert len(traces(plot.extent_map(city, x="lon", y="lat", outline=True), "scatter")) == 2


def test_of_many_files_the_map_counts_those_of_each_cell() -> None:
    figure = plot.extent_map(random_order(MOST_FILES + 1), x="day", y="carrier")
    (cells,) = traces(figure, "bar")
    assert len(cells.x) <= 40 * 40
    # The middle of the table is in every file.
    assert "1,001 files" in cells.hovertext
    assert f"over {MOST_FILES:,} files" in figure.layout.title.subtitle.text


def test_files_along_a_column_stand_by_their_least_value() -> None:
    figure = plot.extents_along(AFTER, column="carrier")
    (bars,) = figure.data
    assert list(bars.base) == sorted(bars.base)
    assert list(bars.y) == list(range(1, 17))
    assert figure.layout.xaxis.ticktext[:2] == ("9E", "AA")
    many = plot.extents_along(random_order(MOST_FILES + 1), column="day")
    (line,) = many.data
    assert max(line.y) == MOST_FILES + 1


def test_depths_and_sizes() -> None:
    figure = plot.depth_histogram(BEFORE, AFTER, columns=["dest_lon", "day"])
    assert [trace.name for trace in figure.data] == ["before", "after"] * 2
    # Of 16 files on 4 x 4 tiles, touching ones share a value.
    assert sum(count or 0 for count in figure.data[1].y) == 16
    assert sum(count or 0 for count in figure.data[0].y) == 20
    assert list(figure.data[0].x) == list(figure.data[1].x)
    # Depths that no file has are left out, and one of all files is said itself.
    alike = [row(str(i), "c", "0", "99") for i in range(24)]
    apart = [row(str(i), "c", str(4 * i), str(4 * i + 3)) for i in range(24)]
    assert list(plot.depth_histogram(apart, alike).data[0].x) == ["1", "24"]
    mixed = [row(str(i), "c", *(("0", "9") if i < 20 else ("50", "59"))) for i in range(38)]
    assert list(plot.depth_histogram(mixed).data[0].x) == ["17-32"]
    sizes = plot.file_sizes([row(str(i), "c", "1", "2", bytes=size) for i, size in enumerate((10, 130_000, 600_000))])
    (bars,) = sizes.data
    steps = {name: count for name, count in zip(bars.x, bars.y, strict=True) if count}
    assert steps == {"below 1 kB": 1, "128 to 256 kB": 1, "512 kB to 1 MB": 1}
    assert len(bars.x) == 11


def test_shares_from_all_that_tells_them() -> None:
    gain = {"column": "a", "point_read_share_before": 1.0, "point_read_share_after": 0.25}
    figure = plot.read_shares([{"path": "/t", "metrics": None, "layout": [gain]}])
    assert [(trace.name, list(trace.x)) for trace in figure.data] == [("before", [100.0]), ("after", [25.0])]
    layout = [{"column": "a", "point_read_share": 0.5}, {"column": "b", "point_read_share": None}]
    figure = plot.read_shares(layout, columns=["B", "a"])
    # The word stands where the bar would begin.
    assert list(figure.data[0].x) == [0, 50.0]
    assert list(figure.data[0].text) == ["unknown", "50\u00a0%"]
    assert "Estimated" not in figure.layout.title.subtitle.text
    figure = plot.read_shares(BEFORE, AFTER)
    assert "Estimated" in figure.layout.title.subtitle.text
    assert figure.data[1].x[0] == pytest.approx(25, rel=0.01)


def test_curves_are_drawn_by_kind_and_bits_and_others_refused() -> None:
    figure = plot.curve("zorder", 1)
    assert list(zip(figure.data[0].x, figure.data[0].y, strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert "each step goes to a neighbour" in plot.curve("hilbert", 6).layout.title.subtitle.text
    for bits in (0, 7, 63):
        with pytest.raises(ZOrderValueError, match=f"bits is {bits}, but must be from 1 to 6") as caught:
            plot.curve("hilbert", bits)
        assert caught.value.getCondition() == "ZORDER_BITS_OUT_OF_RANGE"
    with pytest.raises(ZOrderValueError, match="kind is 'peano', but must be one of: zorder, hilbert"):
        plot.curve(cast("Any", "peano"))
    with pytest.raises(ZOrderTypeError, match="bits must be an int"):
        plot.curve("zorder", cast("Any", "3"))


def test_the_grid_highlights_the_files_read() -> None:
    figure = plot.grid_example()
    filled = [sum(color != "rgba(0,0,0,0)" for color in trace.marker.color) for trace in traces(figure, "bar")]
    assert filled == [9, 7]
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert "9 files read, 21 false positives" in titles[0]
    assert "x 1 and 2, y 7 and 8" in titles[0]
    assert "7 files read, 13 false positives" in titles[1]
    assert "x 3 and 4, y 3 and 4" in titles[1]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rows: plot.extent_map(rows, x=HOSTILE[0], y=HOSTILE[1]),
        lambda rows: plot.extents_along(rows, column=HOSTILE[0]),
        plot.depth_histogram,
        plot.read_shares,
    ],
)
def test_names_are_never_markup(draw: Callable[[Any], Figure]) -> None:
    text = draw(hostile()).to_json()
    assert "<script" not in text.replace("\\u003c", "<").replace("\\u003cscript", "<script").split('"meta"')[0]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rows: plot.extent_map(rows, x="a", y="b"),
        lambda rows: plot.extents_along(rows, column="a"),
        plot.depth_histogram,
        plot.read_shares,
        plot.file_sizes,
        lambda rows: plot.file_sizes(AFTER, rows),
    ],
)
def test_a_table_without_files(draw: Callable[[Any], Figure]) -> None:
    with pytest.raises(ZOrderValueError, match="nothing to draw") as caught:
        draw([])
    assert caught.value.getCondition() == "ZORDER_NO_FILES"


def test_columns_without_bounds_and_too_many() -> None:
    rows = [row("f", "a", "1", "2"), row("f", "b", None, None)]
    draws: list[Callable[[], Figure]] = [
        lambda: plot.extent_map(rows, x="a", y="b"),
        lambda: plot.extents_along(rows, column="b"),
    ]
    for draw in draws:
        with pytest.raises(ZOrderValueError, match=r"bounds of the column 'b'.*run OPTIMIZE") as caught:
            draw()
        assert caught.value.getCondition() == "ZORDER_NO_BOUNDS"
    wide = many_columns(17, 2)
    for many in (plot.depth_histogram, plot.read_shares):
        with pytest.raises(ZOrderValueError, match="draws at most 16 columns, but was given 17") as caught:
            many(wide)
        assert caught.value.getCondition() == "ZORDER_TOO_MANY_COLUMNS"
    assert plot.depth_histogram(wide, columns=[r["column"] for r in wide[:16]])


def test_without_plotly(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    for draw in (plot.curve, plot.grid_example, lambda: plot.read_shares(AFTER), lambda: plot.depth_histogram(AFTER)):
        with pytest.raises(ZOrderImportError, match=r"pip install 'spark-zorder\[plot\]'") as caught:
            draw()
        assert caught.value.getCondition() == "ZORDER_PLOT_NOT_INSTALLED"
        assert isinstance(caught.value, ImportError)
    # A snapshot does not need it.
    assert plot.extents(AFTER).columns == COLUMNS
