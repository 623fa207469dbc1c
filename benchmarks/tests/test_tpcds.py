# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from decimal import Decimal
from typing import Any

from common.executions import size
from common.tpcds import by_number
from tpcds.marks import gains, marks
from tpcds.measure import SYSTEMS, answer
from tpcds.merges import DAY, ROWS, sources
from tpcds.picture import picture
from tpcds.report import differing, markdown
from tpcds.stars import STARS


def ran(pruned: int = 0, same: bool = True, **seconds: float) -> dict[str, Any]:
    names = {"delta": "Delta's z-order", "ours": "spark-zorder"}
    took = {names[key]: value for key, value in seconds.items()}
    return {
        "systems": {
            s.name: {
                "files": 30,
                "bytes": 5_000_000,
                "pruned": pruned if s.prunes else 0,
                "seconds": took.get(s.name, 1.0),
                "planning": 0.1,
            }
            for s in SYSTEMS
        },
        "same": same,
    }


def star(**changes: Any) -> dict[str, Any]:
    return {
        "name": "a day",
        "least_files": 10,
        "least_bytes": 1_000_000,
        "files": 11,
        "bytes": 1_100_000,
        "same": True,
    } | changes


def merge(system: str, **changes: Any) -> dict[str, Any]:
    return {
        "kind": DAY,
        "keys": 1000,
        "system": system,
        "seconds": 2.0,
        "search": 1.0,
        "updated": 1000,
        "rewritten": 17,
        "rewritten_bytes": 10_000_000,
        "searched": 20,
        "searched_bytes": 11_500_000,
    } | changes


def found(**changes: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {"built": [], "stars": [], "merges": [], "firsts": [], "queries": {}, "planning": {}}
    return nothing | {"others_share": 0.0} | changes


FLAGS = {"command": "make tpcds", "scale": 1.0, "rounds": 3}


def shown(**changes: Any) -> list[tuple[str, str, bool]]:
    return [(mark.text, mark.figure, mark.met) for mark in marks(found(**changes))]


def test_queries_are_in_the_order_of_their_numbers() -> None:
    assert sorted(["q14b", "q2", "q14a", "q10"], key=by_number) == ["q2", "q10", "q14a", "q14b"]


def test_answers_are_rows_in_any_order_and_sums_of_floats_in_any() -> None:
    assert answer([(2, None), (1, 0.1 + 0.2)]) == answer([(1, 0.3), (2, None)])
    assert answer([(Decimal("1.10"), "x")]) == ["1.10|x"]


def test_sizes_as_spark_shows_them() -> None:
    assert size("total (min, med, max)\n1,024.5 KiB (1.0 B, 2.0 B)") == 1_049_088
    assert size("0.0 B") == 0


def test_every_star_joins_its_fact_and_every_source_has_a_table_of_its_own() -> None:
    assert len({one.name for one in STARS}) == len(STARS)
    assert all(one.query.startswith("SELECT count(*)") and f"FROM {one.fact} JOIN" in one.floor for one in STARS)
    assert len({one.name for one in sources(10, 20, list(ROWS))}) == 6


def test_a_star_join_that_reads_more_than_files_with_a_match_misses_its_mark() -> None:
    assert shown(stars=[star()])[0][2]
    text, figure, met = shown(stars=[star(), star(name="a year", bytes=1_300_000)])[0]
    assert text.startswith("bytes of a fact")
    assert (figure, met) == ("1 of 2 are over; median 1.20, 1.30 for a year", False)


def test_marks_of_queries_name_what_is_fast_and_what_is_slow() -> None:
    queries = {"q1": ran(delta=4.0), "q2": ran(ours=1.2), "q3": ran(), "q4": {"failed": "longer than 60 s"}}
    assert gains(found(queries=queries))["q1"] == 4.0
    twice, slower = shown(queries=queries)
    assert twice[1:] == ("1: q1", True)
    assert slower[1:] == ("1: q2 1.20", False)


def test_marks_of_a_merge_are_of_the_few_keys_of_a_day() -> None:
    merges = [merge("spark-zorder"), merge("Delta's z-order", seconds=4.0), merge("spark-zorder", keys=100_000)]
    assert [mark[1:] for mark in shown(merges=merges)] == [("1.15", True), ("0.50", False)]


def test_marks_of_a_merge_that_writes_deletion_vectors_are_of_files() -> None:
    merges = [merge("spark-zorder", rewritten=16, rewritten_bytes=0), merge("Delta's z-order", rewritten_bytes=0)]
    text, *mark = shown(merges=merges)[0]
    assert "files scanned in the target" in text
    assert mark == ["1.25", False]


def test_marks_of_first_rows_and_of_planning() -> None:
    first = {"asked": "the last 10 dates", "system": "spark-zorder", "answer": ["1"], "files": 17, "seconds": 0.1}
    assert shown(firsts=[first]) == [("files read for the last 10 dates", "17", False)]
    assert shown(planning={"q1": {"off": 0.1, "on": 0.102}})[0][1:] == ("1.02", True)


def test_the_report_says_what_is_slower_what_differs_and_what_was_left_out() -> None:
    queries = {"q1": ran(pruned=5, ours=1.5), "q2": ran(same=False), "q3": {"failed": "longer than 60 s"}}
    all_ = found(queries=queries, stars=[star(same=False)], merges=[merge(s.name) for s in SYSTEMS])
    text = markdown(all_, FLAGS, {"cores": 2})
    assert differing(all_) == ["q2", "a day"]
    assert "- than Delta's z-order: q1 1.50" in text
    assert "Answers of all systems DIFFER for ['q2', 'a day']." in text
    assert "- q3: longer than 60 s" in text
    assert "| MISSED |" in text
    assert "shared" not in text
    assert "**The machine was shared**" in markdown(found(others_share=0.5), FLAGS, {})


def test_the_picture_has_the_sums_of_the_record() -> None:
    queries = {"q1": ran(ours=2.0), "q2": ran(), "q3": {"failed": "longer than 60 s"}}
    all_ = found(queries=queries, stars=[star()], merges=[merge(s.name) for s in SYSTEMS])
    svg = picture(markdown(all_, FLAGS, {"cores": 2}))
    assert "2 queries of TPC-DS" in svg
    assert next(line for line in svg.splitlines() if "ours" in line and " s<" in line).endswith(">3 s</text>")
    assert svg.count("<rect") == 1 + 3 * len(SYSTEMS)
