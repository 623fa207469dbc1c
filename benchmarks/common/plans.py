# SPDX-License-Identifier: Apache-2.0

"""Scans of a plan that has run, and their metrics, by way of the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame

_SCANS = ("FileSourceScanExec", "IndexedScanExec")


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


def scans(frame: DataFrame) -> list[JavaObject]:
    """All scans of files of the plan that a DataFrame has run with, those of its subqueries, too, each once."""
    return list(_scans(frame._jdf.queryExecution().executedPlan()))


def folder(node: JavaObject) -> str:
    """The name of the folder that a scan of files reads."""
    return str(node.relation().location().rootPaths().head().getName())


def _scans(plan: JavaObject) -> Iterator[JavaObject]:
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        yield from _scans(plan.executedPlan())
    elif name.endswith("QueryStageExec"):
        yield from _scans(plan.plan())
    else:
        if name in _SCANS:
            yield plan
        for below in (plan.children(), plan.subqueries()):
            for i in range(below.size()):
                yield from _scans(below.apply(i))
