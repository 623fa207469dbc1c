# SPDX-License-Identifier: Apache-2.0

"""Adds the settings to a builder, by way of the command line of the JVM that it starts, or to one that finds a JVM.

SparkSubmit reads `spark.jars` and `spark.jars.packages` when it starts the JVM, and writes the jars of both into the
JVM's own `spark.jars`, from which the driver serves them to executors of standalone clusters and of Kubernetes. PySpark
then sets all options of the builder on top of the JVM's settings: a `spark.jars` among them takes the packages' jars
out again, and only the driver has them. So a builder keeps none here.
"""

from __future__ import annotations

import os
import sys
import weakref
from typing import TYPE_CHECKING, NamedTuple

from spark_zorder import _inherited, _settings
from spark_zorder._jars import has_own_jar, jar_path, jar_path_or_placeholder, spark_home
from spark_zorder.errors import ZOrderSessionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from spark_zorder._java import RunningJava
    from spark_zorder._libraries import Library

# spark-submit fixes these when it starts the JVM; all other settings can still be set by the builder.
_START_UP_KEYS = (_settings.JARS, _settings.PACKAGES)


def add_to_new_java(
    builder: SparkSession.Builder, libraries: Sequence[Library], *, packages: tuple[str, ...], with_server: bool
) -> dict[str, str]:
    """Adds what is missing to the command line of the JVM that the builder will start, and to the builder.

    Args:
        builder: the builder; jars and packages leave it for the command line.
        libraries: those of others that are wanted.
        packages: Maven coordinates to add.
        with_server: whether a Connect server is started, which gets all by the command line.

    Returns:
        The settings as they were.
    """
    options = {key: str(value) for key, value in builder._options.items()}
    submitted = _submitted(builder)
    pinned = _inherited.submit_args(submitted)
    current = {**_inherited.defaults(pinned.get(_inherited.PROPERTIES_FILE)), **pinned, **options}
    for key in _START_UP_KEYS:
        # SparkSubmit would take what is pinned alone, and PySpark the builder's: both are wanted.
        if key in pinned and key in options:
            current[key] = _settings.joined(options[key], pinned[key])
    changes = _settings.missing_settings(
        current, lambda: _jar(is_there=has_own_jar(spark_home())), libraries, extra_packages=packages
    )
    # Spark takes a notebook for a shell, and its lines of stages stay in the cells; ours shows the progress there.
    if "ipykernel" in sys.modules and _settings.CONSOLE_PROGRESS not in current:
        changes[_settings.CONSOLE_PROGRESS] = "false"
    wanted = {**current, **changes}
    by_command_line = {key: wanted[key] for key in _START_UP_KEYS if key in changes or options.get(key)}
    if with_server:
        # What the user's own builder has wins over the command line there, and has its warning already.
        by_command_line |= {key: value for key, value in changes.items() if key not in options}
    if by_command_line:
        os.environ[_inherited.SUBMIT_ARGS] = _inherited.with_settings(submitted, by_command_line)
        _note(builder, submitted)
    for key, value in changes.items():
        builder.config(key, value)
    for key in by_command_line:
        builder._options.pop(key, None)
    return current


def _jar(*, is_there: bool) -> str | None:
    """The path of our jar; None where no bundled one is for this Spark, which has one already."""
    try:
        return jar_path()
    except ZOrderSessionError:
        if is_there:
            return None
        raise


class _Written(NamedTuple):
    """What a call for a builder found in the variable, and what it left there."""

    builder: weakref.ref[SparkSession.Builder]
    before: str
    after: str


_written: list[_Written] = []


def _submitted(builder: SparkSession.Builder) -> str:
    """The variable as the user has it, for another builder than the last: a wrong package must not stay for it."""
    now = os.environ.get(_inherited.SUBMIT_ARGS, "")
    ours = [w for w in _written if w.after == now and w.builder() is not builder]
    return ours[0].before if ours else now


def _note(builder: SparkSession.Builder, before: str) -> None:
    _written[:] = [_Written(weakref.ref(builder), before, os.environ[_inherited.SUBMIT_ARGS])]


def add_to_running_java(
    builder: SparkSession.Builder, java: RunningJava, libraries: Sequence[Library], *, packages: tuple[str, ...]
) -> dict[str, str]:
    """Adds what is missing to a builder whose session will run in the JVM that is there.

    Args:
        builder: the builder.
        java: the JVM.
        libraries: those of others that are wanted.
        packages: Maven coordinates that must have been there when the JVM started.

    Returns:
        The settings as they were.

    Raises:
        ZOrderSessionError: the JVM cannot load the extensions or was started without the packages
            (`ZORDER_JVM_WITHOUT_JARS`).
    """
    options = {key: str(value) for key, value in builder._options.items()}
    there = java.settings()
    # Those of the command line's `--packages` are in no setting of the JVM.
    pinned = _inherited.submit_args(os.environ.get(_inherited.SUBMIT_ARGS, ""))
    jars = _settings.joined(there.get(_settings.JARS), options.get(_settings.JARS))
    resolved = _settings.joined(there.get(_settings.PACKAGES), pinned.get(_settings.PACKAGES))
    current = {**there, **options, _settings.JARS: jars, _settings.PACKAGES: resolved}
    wanted = [_settings.EXTENSION, *(library.extension for library in libraries)]
    missing = [name for name in wanted if not java.can_load(name)]
    missing += [package for package in packages if package not in _settings.entries(resolved)]
    if missing:
        current[_settings.PACKAGES] = _settings.joined(resolved, ",".join(packages))
        settings = _settings.complete_settings(current, jar_path_or_placeholder, libraries)
        lines = _settings.conf_lines(settings)
        raise ZOrderSessionError("ZORDER_JVM_WITHOUT_JARS", missing=", ".join(missing), settings=lines)
    # On the JVM's class path it is already, by whatever way; the executors may need it.
    changes = _settings.missing_settings(current, lambda: _jar(is_there=True), libraries)
    changes.pop(_settings.PACKAGES, None)
    # A builder's jars take the place of the JVM's, so that it has to have all of them or none.
    if _settings.JARS in options:
        changes[_settings.JARS] = changes.get(_settings.JARS, jars)
    for key, value in changes.items():
        builder.config(key, value)
    return current
