# SPDX-License-Identifier: Apache-2.0

"""Bars for the phases of a statement while it runs, on terminals and in notebooks."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from spark_zorder._progress_bars import bars_of_this_process
from spark_zorder._progress_source import following

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from spark_zorder._progress_bars import Bars

SETTING = "spark.sql.zorder.progress"

# Statements of this package show bars by themselves, also inside of somebody's own `with progress(spark)`.
_IS_SHOWN: ContextVar[bool] = ContextVar("spark_zorder_progress", default=False)

# Of statements that run at once in threads of a process the first one has the screen.
_SCREEN = threading.Lock()


@contextmanager
def progress(spark: SparkSession) -> Iterator[None]:
    """Shows how far an OPTIMIZE is that runs inside of the `with` block: a bar for sampling, moving and committing.

    For statements in SQL; `ZOrderTable`'s show their bars by themselves. Nothing is shown where the standard error is
    no terminal and this is no notebook, with the setting `spark.sql.zorder.progress` = `off`, for statements of less
    than a second, and beside the bars of another thread. The bars go away when the block ends. They never fail a
    statement.

    Args:
        spark: the session that runs the statement, classic or Connect.

    Example:
        >>> with progress(spark):  # doctest: +SKIP
        ...     run = spark.sql("OPTIMIZE flights ZORDER BY (dest_lat, dest_lon)")
        >>> run.select("summary").show(truncate=False)  # doctest: +SKIP
    """
    with ExitStack() as stack:
        # Nothing that has to do with showing may reach the caller; what the block itself raises must.
        with suppress(Exception):
            bars = _bars_for(spark)
            if bars is not None and _SCREEN.acquire(blocking=False):
                stack.callback(_SCREEN.release)
                token = _IS_SHOWN.set(True)
                stack.callback(_IS_SHOWN.reset, token)
                stack.callback(bars.close)
                stack.enter_context(following(spark, bars.show))
        yield


def _bars_for(spark: SparkSession) -> Bars | None:
    if _IS_SHOWN.get():
        return None
    bars = bars_of_this_process()
    # The session is asked last: asking costs a call, and scripts whose output goes to a file need not pay it.
    return bars if bars is not None and spark.conf.get(SETTING, "auto") == "auto" else None
