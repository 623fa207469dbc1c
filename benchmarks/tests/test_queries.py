# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from queries.kinds import MERGES, queries
from queries.report import markdown
from skipping.report import differing


def run(system: str, kind: str, **changes: Any) -> dict[str, Any]:
    return {"system": system, "kind": kind, "of": 64, "result": ["1"], "files": 3, "seconds": 0.5} | changes


def test_every_query_names_its_table() -> None:
    found = queries(7, "2026-05-01 01:02:03")
    assert len({query.kind for query in found}) == len(found)
    assert all("FROM a " in f"{query.text.format(t='a')} " for query in found)
    assert all(text.format(t="a").startswith("MERGE INTO a AS t ") for text in MERGES.values())


def test_the_report_has_a_row_for_each_query_and_says_where_results_differ() -> None:
    runs = [run(system, kind) for system in ("load order", "spark-zorder") for kind in ("point", "join")]
    merge = {"kind": "20 users", "system": "spark-zorder", "seconds": 1.26, "search": 0.34}
    merge |= {"updated": 8, "files": 4, "bytes": 5_250_000}
    flags = {"command": "make queries", "rows": 5_000_000, "rounds": 3}
    text = markdown(runs, [merge], flags, {"cores": 2})
    assert differing(runs, by="kind") == []
    assert "| point | 0.50 s, 3 of 64 | 0.50 s, 3 of 64 |" in text
    assert "| spark-zorder |     1.3 |            0.3 |               4 |        5.2 |            8 |" in text
    assert "Results of all layouts are the same." in text
    runs.append(run("Delta's z-order", "join", result=["2"]))
    assert differing(runs, by="kind") == ["join"]
