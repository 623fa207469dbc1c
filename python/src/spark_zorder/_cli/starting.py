# SPDX-License-Identifier: Apache-2.0

"""Starts Spark for one command, with the options of `spark-submit`, and keeps what it logs out of the way."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, TYPE_CHECKING

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_zorder import _inherited, _settings
from spark_zorder._cli.failures import CommandError
from spark_zorder._progress import SETTING as PROGRESS
from spark_zorder.session import configure_spark_with_zorder

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from spark_zorder._cli.target import Target

_WAREHOUSE = "spark.sql.warehouse.dir"
_CATALOG_KIND = "spark.sql.catalogImplementation"
_PATH_IN_QUERY = re.compile(r"\b(?P<format>delta|parquet)\s*\.\s*`", re.IGNORECASE)
_NAME_IN_QUERY = re.compile(r"\b(?:from|join)\s+(?!(?:delta|parquet)\s*\.\s*`)[\w`]", re.IGNORECASE)


@contextmanager
def spark_for(
    options: argparse.Namespace, target: Target | None = None, queries: Sequence[str] = ()
) -> Iterator[SparkSession]:
    """Starts a session, or connects to one, and stops it in the end.

    Args:
        options: the parsed command line.
        target: the table of the command, if it has one.
        queries: its queries.

    Raises:
        ZOrderSessionError: what the session would be started from cannot run the statements.
        PySparkException: Spark does not start, or no server answers.
    """
    builder = SparkSession.builder.appName("spark-zorder")
    settings = _settings_of(options, target, queries)
    for key, value in settings.items():
        builder.config(key, value)
    if options.remote:
        builder.remote(options.remote)
    if not options.remote:
        _prefer_to_environment(options)
    delta = _wants_delta(options, target, queries)
    configure_spark_with_zorder(builder, delta=delta, iceberg=bool(options.iceberg))
    with ExitStack() as stack:
        if _needs_no_catalog(options, target, queries):
            # Spark makes the folder of its warehouse for the database `default`: not where the user happens to be.
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="spark-zorder-", ignore_cleanup_errors=True)
            )
            builder.config(_WAREHOUSE, settings.get(_WAREHOUSE, folder))
        with _notice("Starting Spark ..."), _output_kept(options):
            spark = builder.getOrCreate()
        try:
            yield spark
        finally:
            # After Ctrl-C, or when the server has gone, there may be nothing to stop.
            with suppress(Exception):
                spark.stop()


def session_words(options: argparse.Namespace) -> list[str]:
    """Returns the words that ask for the same table and session on another command line."""
    flags = ("format", "master", "packages", "jars", "properties_file", "driver_memory", "remote")
    given = [(flag.replace("_", "-"), getattr(options, flag)) for flag in flags]
    words = [word for flag, value in given if value is not None for word in (f"--{flag}", value)]
    words += [word for key, value in options.conf for word in ("--conf", f"{key}={value}")]
    words += ["--iceberg"] if options.iceberg else []
    return words if options.delta is None else [*words, "--delta" if options.delta else "--no-delta"]


def _prefer_to_environment(options: argparse.Namespace) -> None:
    """What stands on this command line wins over PYSPARK_SUBMIT_ARGS, which Spark would prefer to a builder."""
    submitted = _inherited.without(os.environ.get(_inherited.SUBMIT_ARGS, ""), _given(options))
    if options.properties_file:
        submitted = _inherited.with_settings(submitted, {_inherited.PROPERTIES_FILE: options.properties_file})
    os.environ[_inherited.SUBMIT_ARGS] = submitted


def _given(options: argparse.Namespace) -> dict[str, str]:
    """The settings on the command line; as in spark-submit, an option of its own wins over --conf."""
    flags = {
        "spark.master": options.master,
        "spark.driver.memory": options.driver_memory,
        _settings.JARS: options.jars,
        _settings.PACKAGES: options.packages,
    }
    return dict(options.conf) | {key: value for key, value in flags.items() if value is not None}


def _settings_of(options: argparse.Namespace, target: Target | None, queries: Sequence[str]) -> dict[str, str]:
    given = _given(options)
    if options.no_progress:
        given[PROGRESS] = "off"
    if options.remote:
        return given
    defaults = {"spark.log.level": "WARN" if options.debug else "ERROR", "spark.ui.showConsoleProgress": "false"}
    if not _needs_no_catalog(options, target, queries):
        # As in spark-sql, names are those of a Hive metastore.
        defaults[_CATALOG_KIND] = _inherited.defaults(options.properties_file).get(_CATALOG_KIND, "hive")
    return {**defaults, **given}


def _needs_no_catalog(options: argparse.Namespace, target: Target | None, queries: Sequence[str]) -> bool:
    """Whether the command names tables by their paths alone; then it should leave no metastore behind."""
    if options.remote:
        return False
    return (target is None or target.is_path) and all(
        _PATH_IN_QUERY.search(query) and not _NAME_IN_QUERY.search(query) for query in queries
    )


def _wants_delta(options: argparse.Namespace, target: Target | None, queries: Sequence[str]) -> bool:
    if options.delta is not None:
        return bool(options.delta)
    in_queries = (found["format"].lower() for query in queries for found in _PATH_IN_QUERY.finditer(query))
    return (target is not None and target.is_delta()) or "delta" in in_queries


@contextmanager
def _notice(text: str) -> Iterator[None]:
    """Shows a line while something takes long, on terminals."""
    stream = sys.stderr
    if not stream.isatty():
        yield
        return
    # The block below it turns the process's own standard error to a file, so this one is written before and after.
    stream.write(f"{text}\r")
    stream.flush()
    try:
        yield
    finally:
        stream.write(" " * len(text) + "\r")
        stream.flush()


@contextmanager
def _output_kept(options: argparse.Namespace) -> Iterator[None]:
    """Lets a JVM that is started here write to a file of its own, for as long as it lives.

    Its log would otherwise stand between the lines of the answer: a JVM has the outputs of the process that starts it.
    With `--debug` it writes to the standard error; never to the standard output, which is the answer's alone.
    """
    with tempfile.TemporaryFile() as log:
        sys.stdout.flush()
        sys.stderr.flush()
        outputs = [(1, os.dup(1)), (2, os.dup(2))]
        try:
            for number, _ in outputs:
                os.dup2(2 if options.debug else log.fileno(), number)
            yield
        except PySparkRuntimeError as error:
            if error.getCondition() != "JAVA_GATEWAY_EXITED" or options.debug:
                raise
            raise CommandError(f"Spark did not start. It wrote last:\n{_last_lines(log)}\n{_NEEDS}") from error
        finally:
            for number, saved in outputs:
                os.dup2(saved, number)
                os.close(saved)


_NEEDS = "It needs Java 17 or newer, by JAVA_HOME or on the PATH; --debug shows all that it writes."


def _last_lines(log: IO[bytes], count: int = 10) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()
    return "\n".join(f"  {line}" for line in lines[-count:])
