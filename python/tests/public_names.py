# SPDX-License-Identifier: Apache-2.0

"""The names and numbers that users' programs and stored tables rest on, as they are now."""

from __future__ import annotations

import argparse
import inspect
import json
import re
from pathlib import Path
from typing import Any

import spark_zorder
from spark_zorder import errors, functions, plot
from spark_zorder._cli.parser import new_parser

RELEASED = Path(__file__).with_suffix(".json")
JVM = Path(__file__).resolve().parents[2] / "jvm"
LOG = "format/src/main/scala/io/sparkzorder/format/parquet"
# What is stored, with the file and the value that says which form of it is written.
STORED = {
    "log": (f"{LOG}/log/LogFiles.scala", r"val Version = (\d+)"),
    "kept files": (f"{LOG}/log/KeptFiles.scala", r"val Version = (\d+)"),
    "statistics index": (f"{LOG}/index/StatisticsFile.scala", r"val Format = (\d+)"),
    "tag of Delta's files": (
        "format/src/main/scala/io/sparkzorder/format/delta/DeltaClustering.scala",
        r'val Tag = "(.+)"',
    ),
    "folder": (f"{LOG}/folder/TableFolder.scala", r'val Name = "(.+)"'),
}


def public_names() -> dict[str, Any]:
    """Returns them by kind: lists of names, and for `stored` the forms that are written."""
    conf = (JVM / "base/src/main/scala/io/sparkzorder/config/ZOrderConf.scala").read_text()
    plan = (JVM / "src/main/scala/io/sparkzorder/compat/OtherSpark.scala").read_text()
    conditions = json.loads((JVM / "base/src/main/resources/error/zorder-error-conditions.json").read_text())
    return {
        "extension": ["io.sparkzorder.ZOrderSparkSessionExtension"],
        "settings": sorted(set(re.findall(r'"(spark\.sql\.zorder\.[\w.]+)"', conf))),
        "conditions": sorted({f"{name} {c['sqlState']}" for name, c in conditions.items()} | _conditions_of_python()),
        "functions": sorted(re.findall(r'"([a-z_]+)"', " ".join(re.findall(r"Functions: Seq.*\n.*", plan)))),
        "commands": sorted(_commands()),
        "python": sorted(
            {*_members("spark_zorder", spark_zorder), *_members("functions", functions), *_members("plot", plot)}
        ),
        "stored": {name: _found(*place) for name, place in STORED.items()},
    }


def _found(path: str, pattern: str) -> str:
    (value,) = set(re.findall(pattern, (JVM / path).read_text()))
    return str(value)


def _conditions_of_python() -> set[str]:
    return {f"{name} {condition.sql_state}" for name, condition in errors._CONDITIONS.items()}


def _commands() -> set[str]:
    """Commands with their options: `layout --on`."""
    parsers = next(a for a in new_parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
    return {
        f"{name} {option}" for name, parser in parsers.items() for a in parser._actions for option in a.option_strings
    }


def _members(prefix: str, of: Any) -> set[str]:
    """Functions, classes and their methods, each with the names of its parameters."""
    names = getattr(of, "__all__", None) or [n for n in vars(of) if not n.startswith("_")]
    found = set()
    for name in names:
        value = getattr(of, name)
        if inspect.isclass(value) and value.__module__.startswith("spark_zorder"):
            methods = {n: v for n, v in vars(value).items() if not n.startswith("_")}
            found |= {f"{prefix}.{name}.{n}{_parameters(v)}" for n, v in methods.items()}
        elif inspect.isfunction(value) and value.__module__.startswith("spark_zorder"):
            found.add(f"{prefix}.{name}{_parameters(value)}")
    return found


def _parameters(value: Any) -> str:
    function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    return f"({', '.join(inspect.signature(function).parameters)})" if inspect.isfunction(function) else ""
