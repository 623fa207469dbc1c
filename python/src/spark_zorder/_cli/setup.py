# SPDX-License-Identifier: Apache-2.0

"""The commands that start no Spark: settings for a command line, the jar, completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder._cli.answer import Answer
from spark_zorder._cli.failures import CommandError
from spark_zorder._jars import jar_path
from spark_zorder._settings import CLI_HEADER, conf_lines
from spark_zorder.session import spark_conf

if TYPE_CHECKING:
    import argparse

SHELLS = ("bash", "zsh")


def conf(options: argparse.Namespace) -> Answer:
    """Returns `--conf` lines for spark-sql, spark-shell and spark-submit."""
    # Our results have several columns, and spark-sql does not name them by itself.
    settings = spark_conf(delta=options.delta, iceberg=options.iceberg, spark=options.spark_version)
    settings[CLI_HEADER] = "true"
    return Answer({"command": "conf", "settings": settings}, raw=conf_lines(settings))


def jar(options: argparse.Namespace) -> Answer:
    """Returns the path of the bundled jar for a Spark."""
    path = jar_path(options.spark_version)
    return Answer({"command": "jar", "path": path}, raw=path)


def completion(options: argparse.Namespace) -> Answer:
    """Returns a script that completes this program's words in a shell."""
    try:
        import shtab
    except ImportError as error:
        raise CommandError("Completion needs the package shtab: pip install shtab") from error
    script = shtab.complete(options.parser(), options.shell)
    return Answer({"command": "completion", "shell": options.shell, "script": script}, raw=script)
