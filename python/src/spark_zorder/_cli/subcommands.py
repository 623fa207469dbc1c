# SPDX-License-Identifier: Apache-2.0

"""The commands, with the words that each of them takes."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING, Any

from spark_zorder._cli import advice, doctor, measuring, setup, statements, undo
from spark_zorder._quoting import split_identifier
from spark_zorder.errors import ZOrderValueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_zorder._cli.answer import Answer

# Not split inside of back-quotes.
_COLUMN = re.compile(r"(?:[^,`]|`(?:[^`]|``)*`)+")


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and examples."""


def add_commands(commands: Any) -> None:  # noqa: ANN401 - argparse's own type has no name
    """Adds all commands, in the order in which the help lists them."""
    _add_optimize(commands)
    _add_layout(commands)
    _add_skipping(commands)
    _add_analyze(commands)
    _add_undo(commands)
    _add_advise(commands)
    _add_benchmark(commands)
    _add_report(commands)
    _add_doctor(commands)
    _add_setup(commands)


def _command(
    commands: Any,  # noqa: ANN401
    name: str,
    run: Callable[[argparse.Namespace], Answer],
    text: str,
    example: str,
    *,
    table: str | None = "+",
    session: bool = True,
    reads_footers: bool = False,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=Formatter,
    )
    parser.set_defaults(run=run, debug=False, own_parser=parser)
    if table:
        text = "db.t, data/t, s3a://bucket/t; or what a shell makes of data/t/*"
        where = parser.add_argument("table", metavar="<table or path>", nargs=table, help=text)
        where.complete = _DIRECTORY  # type: ignore[attr-defined]
        parser.add_argument(
            "--format", choices=["delta", "parquet"], help="the format of a path; else the folder tells"
        )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON document")
    if session:
        spark = _add_session(parser, output)
        if reads_footers:
            text = "start Spark also where the footers of Parquet files tell all"
            spark.add_argument("--spark", action="store_true", help=text)
    return parser


def _add_session(parser: argparse.ArgumentParser, output: argparse._ArgumentGroup) -> argparse._ArgumentGroup:
    output.add_argument("--debug", action="store_true", help="show Spark's log and the stack trace of an error")
    output.add_argument("--no-progress", action="store_true", help="show no bars while a statement runs")
    spark = parser.add_argument_group("Spark, as for spark-submit")
    spark.add_argument("--master", metavar="URL", help="local[4], spark://host:7077, yarn, k8s://...; default local[*]")
    spark.add_argument("--conf", "-c", metavar="KEY=VALUE", action="append", default=[], type=_pair, help="a setting")
    spark.add_argument("--packages", metavar="G:A:V,...", help="Maven coordinates of jars")
    jars = spark.add_argument("--jars", metavar="FILE,...", help="jars for driver and executors")
    jars.complete = _FILE  # type: ignore[attr-defined]
    file = spark.add_argument("--properties-file", metavar="FILE", help="settings in place of spark-defaults.conf")
    file.complete = _FILE  # type: ignore[attr-defined]
    spark.add_argument("--driver-memory", metavar="SIZE", help="such as 4g; the default is Spark's, 1g")
    # As the builder does, which takes the variable for its own.
    text = "a Spark Connect server, sc://host:15002, in place of all these; default $SPARK_REMOTE"
    spark.add_argument("--remote", metavar="URL", default=os.environ.get("SPARK_REMOTE"), help=text)
    spark.add_argument(
        "--delta",
        action=argparse.BooleanOptionalAction,
        help="add Delta Lake, or do not; without either, a folder with a _delta_log decides",
    )
    text = "add Iceberg; its catalogs are named by --conf spark.sql.catalog..."
    spark.add_argument("--iceberg", action="store_true", default=None, help=text)
    return spark


def _add_optimize(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder optimize data/flights --by dest_lat,dest_lon --where 'year = 2013'"
    parser = _command(commands, "optimize", statements.optimize, "cluster a table's rows and commit new files", example)
    _add_columns(parser, "--by", "--zorder-by", text="columns to cluster by; else those of the table's own order")
    parser.add_argument("--where", metavar="PREDICATE", help="only the partitions that it selects")
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=_pair,
        help="an option of the statement, such as curve=hilbert",
    )
    parser.add_argument("--incremental", action="store_true", help="leave clustered files where they are")
    parser.add_argument(
        "--keep-old",
        "--backup",
        metavar="TIME",
        nargs="?",
        const="7 days",
        help="keep the replaced files of a Parquet table for restore, such as 12h; without a time for 7 days",
    )
    parser.add_argument("--dry-run", action="store_true", help="foresee the result and change nothing")


def _add_undo(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder rewrites data/trips"
    _command(commands, "rewrites", undo.rewrites, "show which rewrites of a Parquet table can be taken back", example)
    example = "spark-zorder restore data/trips --rewrite 3"
    text = "take a rewrite of a Parquet table back; rows added since stay"
    parser = _command(commands, "restore", undo.restore, text, example)
    parser.add_argument("--rewrite", metavar="N", type=_whole, required=True, help="its number, as rewrites shows it")
    example = "spark-zorder vacuum data/trips --dry-run"
    parser = _command(commands, "vacuum", undo.vacuum, "delete kept files of a Parquet table for good", example)
    parser.add_argument(
        "--retain-hours", metavar="N", type=_whole, help="the age from which they go; else the time that was set"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be deleted and change nothing")
    example = "spark-zorder repair data/trips --dry-run"
    parser = _command(commands, "repair", undo.repair, "make the damaged log of a Parquet table whole again", example)
    parser.add_argument("--dry-run", action="store_true", help="show what would be done and change nothing")


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number, 0 or more")
    return int(text)


def _add_layout(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder layout data/flights --on dest_lat,dest_lon"
    text = "show how well a table is clustered, by column"
    parser = _command(commands, "layout", statements.layout, text, example, reads_footers=True)
    _add_selection(parser)
    parser.add_argument("--extended", action="store_true", help="as the command files")
    example = "spark-zorder files data/flights --on dest_lat"
    text = "show the range of each column in each file"
    parser = _command(commands, "files", statements.files, text, example, reads_footers=True)
    _add_selection(parser)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    _add_columns(parser, "--on", text="columns to look at; else all that can be")
    parser.add_argument("--where", metavar="PREDICATE", help="only the partitions that it selects")


def _add_skipping(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder skipping 'SELECT * FROM delta.`data/flights` WHERE dest_lat > 60'"
    text = "show how much of its tables a query would read, without running it"
    parser = _command(commands, "skipping", statements.skipping, text, example, table=None)
    parser.add_argument("query", metavar="<query>", help="a query in SQL")


def _add_analyze(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder analyze data/flights --columns dest_lat,dest_lon"
    text = "build or refresh the statistics index of a Parquet table"
    parser = _command(commands, "analyze", statements.analyze, text, example)
    which = parser.add_mutually_exclusive_group()
    _add_columns(which, "--columns", text="columns of the statistics index from now on; else those that it has")
    which.add_argument("--all", action="store_true", help="all columns that can have statistics")


def _add_advise(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder advise data/flights --query 'SELECT * FROM delta.`data/flights` WHERE dest_lat > 60'"
    text = "find the columns by which a table should be clustered"
    parser = _command(commands, "advise", advice.advise, text, example)
    _add_columns(parser, "--on", text="columns to choose from; else all that can be")
    parser.add_argument(
        "--query", metavar="SQL", action="append", default=[], help="a query of the workload; may be repeated"
    )
    text = "a folder that spark.sql.zorder.advise.record was when the workload ran"
    recording = parser.add_argument("--recording", metavar="PATH", help=text)
    recording.complete = _DIRECTORY  # type: ignore[attr-defined]


def _add_report(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder report data/flights --on dest_lat,dest_lon --out flights.html"
    parser = _command(commands, "report", advice.report, "write a page of HTML on a table's layout", example)
    _add_columns(parser, "--on", text="columns to report on; else all that can be")
    out = parser.add_argument("--out", metavar="PATH", required=True, help="the file to write")
    out.complete = _FILE  # type: ignore[attr-defined]
    parser.add_argument("--overwrite", action="store_true", help="write it even if it is there")


def _add_benchmark(commands: Any) -> None:  # noqa: ANN401
    example = "spark-zorder benchmark data/flights --query 'SELECT * FROM delta.`data/flights` WHERE dest_lat > 60'"
    text = "measure queries: seconds, and the files and bytes that they read"
    parser = _command(commands, "benchmark", measuring.benchmark, text, example)
    parser.add_argument("--query", metavar="SQL", action="append", required=True, help="a query; may be repeated")
    parser.add_argument("--runs", metavar="N", type=int, default=3, help="how often each runs; default 3")
    save = parser.add_argument("--save", metavar="FILE", help="write the figures, for --compare")
    compare = parser.add_argument("--compare", metavar="FILE", help="compare with what --save wrote before")
    save.complete = compare.complete = _FILE  # type: ignore[attr-defined]
    parser.add_argument("--overwrite", action="store_true", help="write the file even if it is there")


def _add_doctor(commands: Any) -> None:  # noqa: ANN401
    text = "check versions, the jar, settings and a table, and say what to do"
    parser = _command(commands, "doctor", doctor.doctor, text, "spark-zorder doctor data/flights", table="*")
    spark = parser.add_argument_group("a session")
    spark.add_argument("--spark", action="store_true", help="also start Spark, and ask the extension and the table")


def _add_setup(commands: Any) -> None:  # noqa: ANN401
    text = "print --conf lines for spark-sql, spark-shell and spark-submit"
    example = "spark-sql $(spark-zorder conf --delta)"
    parser = _command(commands, "conf", setup.conf, text, example, table=None, session=False)
    parser.add_argument("--delta", action="store_true", help="add Delta Lake")
    parser.add_argument("--iceberg", action="store_true", help="add Iceberg; its catalogs are yours to set")
    _add_spark_version(parser)
    text, example = "print the path of the bundled jar for your Spark", "spark-submit --jars $(spark-zorder jar) ..."
    _add_spark_version(_command(commands, "jar", setup.jar, text, example, table=None, session=False))
    text = "print a script that completes the words of this program"
    example = "spark-zorder completion bash > ~/.local/share/bash-completion/completions/spark-zorder"
    parser = _command(commands, "completion", setup.completion, text, example, table=None, session=False)
    parser.add_argument("shell", choices=setup.SHELLS)


def _add_spark_version(parser: argparse.ArgumentParser) -> None:
    text = "the Spark that it is for, as in 4.1; by default that of SPARK_HOME, or else PySpark's own"
    parser.add_argument("--spark-version", metavar="VERSION", help=text)


def _add_columns(parser: argparse._ActionsContainer, *flags: str, text: str) -> None:
    parser.add_argument(*flags, metavar="A,B", action="extend", default=[], type=_columns, help=text)


# shtab's words for what completes a file's and a folder's name; it reads them from the argument.
_FILE = {"bash": "_shtab_compgen_files", "zsh": "_files"}
_DIRECTORY = {"bash": "_shtab_compgen_dirs", "zsh": "_files -/"}


def _columns(text: str) -> list[str]:
    names = [name.strip() for name in _COLUMN.findall(text)]
    try:
        for name in names:
            split_identifier(name)
    except ZOrderValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not names or ",".join(names).replace(" ", "") != text.replace(" ", ""):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of columns; separate them by commas, as in a,b")
    return names


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form key=value")
    return key.strip(), value
