# SPDX-License-Identifier: Apache-2.0

"""Refuses in one sentence where there is no PySpark 4, which the wheel does not bring: many have a Spark already."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

_OLDEST = 4


def fault(version: str | None) -> str | None:
    """Returns what is wrong with the PySpark that is there, and what to do; None where this package works with it.

    Args:
        version: PySpark's version; None where it is not installed.
    """
    if version is None:
        return (
            "spark-zorder needs PySpark 4, and none is installed: pip install 'spark-zorder[pyspark]'. "
            "For a Spark that is there already, put $SPARK_HOME/python on PYTHONPATH instead."
        )
    if int(version.split(".")[0]) < _OLDEST:
        return f"spark-zorder needs PySpark 4, {version} is installed: pip install --upgrade 'spark-zorder[pyspark]'"
    return None


def _version() -> str | None:
    try:
        import pyspark
    except ModuleNotFoundError as error:
        # What PySpark itself misses is another fault than this one.
        if error.name != "pyspark":
            raise
        return None
    # A folder that an uninstall has left has none.
    version = getattr(pyspark, "__version__", None)
    return None if version is None else str(version)


def _is_command() -> bool:
    """Whether this process is the command line's: `spark-zorder`, or `python -m spark_zorder`."""
    started = getattr(sys, "orig_argv", [])
    by_module = any(pair == ("-m", "spark_zorder") for pair in pairwise(started))
    return by_module or any(Path(word).stem == "spark-zorder" for word in sys.argv[:1])


_fault = fault(_version())
if _fault:
    if _is_command():
        sys.exit(f"spark-zorder: {_fault}")
    raise ImportError(_fault)
