# SPDX-License-Identifier: Apache-2.0

"""A statement of a classic session is followed by a thread; of Connect, see `launch/test_connect_server.py`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from spark_zorder import ZOrderTable, _progress, _progress_source

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession

    from spark_zorder._progress_state import ProgressState


class Recorder:
    """What bars would have shown."""

    def __init__(self) -> None:
        self.states: list[ProgressState] = []
        self.is_closed = False

    def show(self, state: ProgressState | None) -> None:
        assert not self.is_closed
        if state is not None:
            self.states.append(state)

    def close(self) -> None:
        self.is_closed = True


def test_a_thread_follows_a_statement(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(tmp_path / "t")
    spark.range(0, 20000, 1, 4).selectExpr("id", "id % 7 AS a").write.parquet(folder)
    recorder = Recorder()
    monkeypatch.setattr(_progress, "bars_of_this_process", lambda: recorder)
    monkeypatch.setattr(_progress_source, "_SECONDS_BETWEEN", 0.001)
    threads = threading.active_count()

    row = ZOrderTable.forPath(spark, folder).optimize({"force": True}).executeZOrderBy("id", "a").first()

    assert row is not None
    assert recorder.is_closed
    phases = [state.phase for state in recorder.states]
    assert phases == sorted(phases, key=["sampling", "moving", "committing"].index)
    seen = {(state.phase, state.files, state.bytes) for state in recorder.states}
    assert ("moving", 4, row.metrics.filesRemoved.totalSize) in seen
    shares = [state.shares["moving"] for state in recorder.states]
    assert shares == sorted(shares)
    assert threading.active_count() == threads
    assert spark.conf.get(_progress_source.KEY, "unset") == "unset"
