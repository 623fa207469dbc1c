# SPDX-License-Identifier: Apache-2.0

"""Prints settings for a shell: `spark-sql $(python -m spark_zorder conf --delta)`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from spark_zorder._settings import conf_lines
from spark_zorder._versions import jar_path, versions
from spark_zorder.session import spark_conf

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code.

    Args:
        arguments: the words after the program's name; None takes those of the process.

    Example:
        >>> main(["conf"])  # doctest: +SKIP
        --conf spark.jars=/...jar
        --conf spark.sql.extensions=io.sparkzorder.ZOrderSparkSessionExtension
        0
    """
    parser = argparse.ArgumentParser(prog="spark-zorder", description="Settings to start Spark with spark-zorder.")
    parser.add_argument("--version", action="version", version=versions()["project"])
    commands = parser.add_subparsers(dest="command", required=True)
    conf = commands.add_parser("conf", help="print --conf lines for spark-sql, spark-shell and spark-submit")
    conf.add_argument("--delta", action="store_true", help="add Delta Lake")
    commands.add_parser("jar", help="print the path of the bundled jar")
    parsed = parser.parse_args(arguments)
    try:
        print(jar_path() if parsed.command == "jar" else conf_lines(spark_conf(delta=parsed.delta)))
    except PySparkException as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
