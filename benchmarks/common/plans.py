# SPDX-License-Identifier: Apache-2.0

"""Scans of a plan that has run, and their metrics, by way of the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame


def scan(frame: DataFrame) -> JavaObject:
    """The first scan of the plan that a DataFrame has run with."""
    return _leaf(frame._jdf.queryExecution().executedPlan())


def metric(node: JavaObject, *names: str) -> int | None:
    """The value of the first of the metrics that a node has, None if it has none."""
    metrics = node.metrics()
    return next((metrics.apply(name).value() for name in names if metrics.contains(name)), None)


def _leaf(plan: JavaObject) -> JavaObject:
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        return _leaf(plan.executedPlan())
    if name.endswith("QueryStageExec"):
        return _leaf(plan.plan())
    return plan if plan.children().isEmpty() else _leaf(plan.children().head())
