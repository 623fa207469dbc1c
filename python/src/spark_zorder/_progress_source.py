# SPDX-License-Identifier: Apache-2.0

"""Where the states of a running statement come from: a thread that asks, or Connect's own progress messages."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from spark_zorder._progress_state import parse_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from spark_zorder._progress_state import ProgressState

KEY = "spark.sql.zorder.progress.state"

_SECONDS_BETWEEN = 0.25
# A thread that asks a JVM which is gone or stopped is left alone; it shows nothing any more, and ends with the answer.
_SECONDS_TO_END = 5.0


@contextmanager
def following(spark: SparkSession, show: Callable[[ProgressState | None], None]) -> Iterator[None]:
    """Hands states of the session's statement to `show` until the block ends; errors in there are nobody's business.

    Args:
        spark: the session, classic or Connect.
        show: takes a state, or None while there is none; called by one thread at a time.
    """
    spark.conf.set(KEY, "")

    def look() -> None:
        with suppress(Exception):
            show(parse_state(spark.conf.get(KEY, "")))

    try:
        with _messages(spark, look) if is_connect(spark) else _thread(look):
            yield
    finally:
        with suppress(Exception):
            spark.conf.unset(KEY)


def is_connect(spark: SparkSession) -> bool:
    """Whether the session is a client of a Connect server."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


@contextmanager
def _messages(spark: SparkSession, look: Callable[[], None]) -> Iterator[None]:
    def handled(*, done: bool = False, **_others: object) -> None:
        # The message is the clock: it has counts of stages, but not what the stages are for. The last one comes when
        # the statement has ended.
        if not done:
            look()

    # PySpark's type for it is a class of Connect's, which classic installations cannot import.
    handler = cast(Any, handled)
    spark.registerProgressHandler(handler)
    try:
        yield
    finally:
        with suppress(Exception):
            spark.removeProgressHandler(handler)


@contextmanager
def _thread(look: Callable[[], None]) -> Iterator[None]:
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(_SECONDS_BETWEEN):
            look()

    thread = _spark_thread(run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(_SECONDS_TO_END)


def _spark_thread(run: Callable[[], None]) -> threading.Thread:
    """A thread whose twin in the JVM ends with it."""
    from pyspark import InheritableThread

    thread = InheritableThread(target=run)
    thread.daemon = True
    return thread
