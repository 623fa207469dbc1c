# SPDX-License-Identifier: Apache-2.0

"""Settings that a new JVM takes from outside the builder: PYSPARK_SUBMIT_ARGS and spark-defaults.conf."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from spark_zorder._settings import JARS, PACKAGES
from spark_zorder._versions import parse_properties

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

SUBMIT_ARGS = "PYSPARK_SUBMIT_ARGS"
PROPERTIES_FILE = "--properties-file"

_FLAGS = {
    "--jars": JARS,
    "--packages": PACKAGES,
    "--master": "spark.master",
    "--driver-memory": "spark.driver.memory",
}
_APPLICATION = "pyspark-shell"


def submit_args(text: str) -> dict[str, str]:
    """Returns what a command line for spark-submit sets.

    Args:
        text: options as in PYSPARK_SUBMIT_ARGS, ending with `pyspark-shell`.

    Returns:
        Settings by key; `--jars` and the like win over `--conf` of the same meaning, as in spark-submit.
        The path given to `--properties-file` stands under that name.

    Example:
        >>> submit_args("--conf spark.a=1 --jars /x.jar pyspark-shell")
        {'spark.a': '1', 'spark.jars': '/x.jar'}
    """
    confs: dict[str, str] = {}
    flags: dict[str, str] = {}
    for key, value, words in _options(text):
        if key is not None:
            (confs if words[0].startswith(("--conf", "-c")) else flags)[key] = value
    return {**confs, **flags}


def with_settings(text: str, settings: Mapping[str, str]) -> str:
    """Returns a command line for spark-submit with settings that take the place of those of the same keys.

    Args:
        text: options as in PYSPARK_SUBMIT_ARGS, or nothing.
        settings: whole new values by key.

    Example:
        >>> with_settings("--jars /x.jar --verbose pyspark-shell", {"spark.jars": "/x.jar,/y.jar"})
        '--verbose --conf spark.jars=/x.jar,/y.jar pyspark-shell'
    """
    added = [
        word
        for key, value in settings.items()
        for word in ((key, value) if key == PROPERTIES_FILE else ("--conf", f"{key}={value}"))
    ]
    return shlex.join([*_kept(text, settings), *added, _APPLICATION])


def without(text: str, keys: Collection[str]) -> str:
    """Returns a command line for spark-submit that says nothing of some settings.

    Args:
        text: options as in PYSPARK_SUBMIT_ARGS, or nothing.
        keys: the settings.

    Example:
        >>> without("--jars /x.jar --verbose pyspark-shell", ["spark.jars"])
        '--verbose pyspark-shell'
    """
    return shlex.join([*_kept(text, keys), _APPLICATION])


def _kept(text: str, keys: Collection[str]) -> list[str]:
    return [word for key, _, words in _options(text) if key not in keys for word in words if word != _APPLICATION]


def _options(text: str) -> Iterator[tuple[str | None, str, list[str]]]:
    """The words of a command line option by option: the key that one sets, if it does, the value, and its words."""
    tokens = iter(shlex.split(text))
    for token in tokens:
        name, has_value, value = token.partition("=") if token.startswith("--") else (token, "", "")
        if name not in ("--conf", "-c", PROPERTIES_FILE, *_FLAGS):
            yield None, "", [token]
            continue
        words = [token] if has_value else [token, (value := next(tokens, ""))]
        if name in ("--conf", "-c"):
            key, _, setting = value.partition("=")
            yield key, setting, words
        else:
            yield _FLAGS.get(name, name), value, words


def defaults(properties_file: str | None) -> dict[str, str]:
    """Returns the settings of spark-defaults.conf, or of the file that spark-submit is told to read instead.

    Args:
        properties_file: the path given to `--properties-file`, or None.

    Returns:
        Settings by key; empty if there is no such file.
    """
    path = Path(properties_file) if properties_file else conf_folder() / "spark-defaults.conf"
    return parse_properties(path.read_text(encoding="utf-8")) if path.is_file() else {}


def conf_folder() -> Path:
    """Returns the folder of Spark's configuration files; it need not exist."""
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    return Path(os.environ.get("SPARK_CONF_DIR") or home / "conf")
