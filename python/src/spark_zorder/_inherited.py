# SPDX-License-Identifier: Apache-2.0

"""Settings that a new JVM takes from outside the builder: PYSPARK_SUBMIT_ARGS and spark-defaults.conf."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pyspark

from spark_zorder._settings import JARS, PACKAGES
from spark_zorder._versions import parse_properties

_FLAGS = {"--jars": JARS, "--packages": PACKAGES}


def submit_args(text: str) -> dict[str, str]:
    """Returns what a command line for spark-submit sets.

    Args:
        text: options as in PYSPARK_SUBMIT_ARGS, ending with `pyspark-shell`.

    Returns:
        Settings by key; `--jars` and `--packages` win over `--conf` of the same meaning, as in spark-submit.
        The path given to `--properties-file` stands under that name.

    Example:
        >>> submit_args("--conf spark.a=1 --jars /x.jar pyspark-shell")
        {'spark.a': '1', 'spark.jars': '/x.jar'}
    """
    confs: dict[str, str] = {}
    flags: dict[str, str] = {}
    tokens = iter(shlex.split(text))
    for token in tokens:
        name, has_value, value = token.partition("=") if token.startswith("--") else (token, "", "")
        if name not in ("--conf", "-c", "--properties-file", *_FLAGS):
            continue
        value = value if has_value else next(tokens, "")
        if name in ("--conf", "-c"):
            key, _, setting = value.partition("=")
            confs[key] = setting
        else:
            flags[_FLAGS.get(name, name)] = value
    return {**confs, **flags}


def defaults(properties_file: str | None) -> dict[str, str]:
    """Returns the settings of spark-defaults.conf, or of the file that spark-submit is told to read instead.

    Args:
        properties_file: the path given to `--properties-file`, or None.

    Returns:
        Settings by key; empty if there is no such file.
    """
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    folder = Path(os.environ.get("SPARK_CONF_DIR") or home / "conf")
    path = Path(properties_file) if properties_file else folder / "spark-defaults.conf"
    return parse_properties(path.read_text(encoding="utf-8")) if path.is_file() else {}
