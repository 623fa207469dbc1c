# SPDX-License-Identifier: Apache-2.0

"""A few of the random queries and statements; `make random-queries` has as many as asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from random_queries import Trial, session

if TYPE_CHECKING:
    from pathlib import Path

QUERIES, CHANGES, SEED = 60, 20, 20261127


def test_random_queries_and_changes_have_the_same_rows_with_skipping_and_without(tmp_path: Path) -> None:
    trial = Trial(session(tmp_path), tmp_path, SEED)

    trial.queries("parquet", QUERIES)
    trial.queries("delta", QUERIES)
    trial.changes(CHANGES)

    print(dict(trial.counts))
    assert not trial.wrong
    assert trial.counts["parquet queries"] > QUERIES // 2
    assert trial.counts["delta queries"] > QUERIES // 2
    assert trial.counts["delta changes"] > CHANGES // 2
