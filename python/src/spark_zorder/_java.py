# SPDX-License-Identifier: Apache-2.0

"""The JVM of this process, which outlives `stop()` and takes no new jars. Not there with a server elsewhere."""

from __future__ import annotations


class RunningJava:
    """A JVM that PySpark has started."""

    def __init__(self, view: object) -> None:
        self._view = view

    @staticmethod
    def of_this_process() -> RunningJava | None:
        """Returns it, or None if none was started yet."""
        from pyspark import SparkContext

        view = SparkContext._jvm
        return None if view is None else RunningJava(view)

    def settings(self) -> dict[str, str]:
        """Returns what a session would get there from a builder without options."""
        from pyspark import SparkConf

        return dict(SparkConf(_jvm=self._view).getAll())

    def can_load(self, name: str) -> bool:
        """Whether a class is on its class path."""
        return bool(getattr(self._view, "org.apache.spark.util.Utils").classIsLoadable(name))
