# SPDX-License-Identifier: Apache-2.0

"""The command line as a whole: what its words mean, and what it says of words that mean nothing."""

from __future__ import annotations

import argparse
import difflib
import re
from typing import TYPE_CHECKING, NoReturn

from spark_zorder._cli.paths import one_table
from spark_zorder._cli.subcommands import Formatter, add_commands
from spark_zorder._versions import versions

if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = """\
Clusters Delta and Parquet tables along a space-filling curve, and shows what a layout is worth.

A table is a name (db.t) or a path: with a slash, with a scheme (s3a://...), or a folder that is there."""

_EXAMPLES = """\
examples:
  spark-zorder layout data/flights --on dest_lat,dest_lon
  spark-zorder optimize data/flights --by dest_lat,dest_lon
  spark-zorder skipping 'SELECT * FROM delta.`data/flights` WHERE dest_lat > 60'
  spark-sql $(spark-zorder conf --delta)

exit codes: 0 done, 1 the statement failed or doctor found a problem, 2 the command line is wrong, 130 interrupted"""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Returns what the words mean; its `run` takes it and returns an `Answer`.

    Raises:
        SystemExit: the words are no command (code 2), or asked for help or the version (code 0).
    """
    parser = new_parser()
    # argparse itself would show the usage of the whole program, which has none of the command's options.
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse(parsed.own_parser, unknown)
    if getattr(parsed, "table", None):
        _find_table(parser, parsed)
    if (getattr(parsed, "remote", None) or "").startswith("sc://"):
        flags = ("master", "packages", "jars", "properties_file", "driver_memory", "delta", "iceberg")
        given = [f"--{flag.replace('_', '-')}" for flag in flags if getattr(parsed, flag) is not None]
        if given:
            parser.error(f"{', '.join(given)} cannot be set for a server that runs already (--remote or SPARK_REMOTE)")
    return parsed


def _refuse(parser: argparse.ArgumentParser, unknown: list[str]) -> NoReturn:
    """Ends the program for words that a command does not take, with the option that was probably meant."""
    flag = next((word.partition("=")[0] for word in unknown if word.startswith("-")), "")
    close = difflib.get_close_matches(flag, parser._option_string_actions, n=1)
    parser.error(f"unrecognized arguments: {' '.join(unknown)}" + (f"; did you mean {close[0]}?" if close else ""))


def _find_table(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> None:
    """Makes one table of the words that stand for it: a shell puts all that a pattern matches in its place."""
    is_here = not getattr(parsed, "remote", None)
    if not is_here and len(parsed.table) > 1:
        parser.error(f"{parsed.command} takes one table; name its folder, as {parsed.remote} sees it")
    try:
        parsed.table = one_table(parsed.table) if is_here else parsed.table[0]
    except ValueError as error:
        parser.error(str(error))


def new_parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands."""
    parser = _Parser(prog="spark-zorder", description=_DESCRIPTION, epilog=_EXAMPLES, formatter_class=Formatter)
    parser.add_argument("--version", action="version", version=versions()["project"])
    commands = parser.add_subparsers(dest="command", required=True, metavar="<command>")
    add_commands(commands)
    commands.choices["completion"].set_defaults(parser=new_parser)
    return parser


class _Parser(argparse.ArgumentParser):
    """Names the word that was meant, where one is close, in place of all that there are."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with a message."""
        found = re.fullmatch(r"(.*invalid choice: '(.*)') \(choose from (.*)\)", message)
        close = difflib.get_close_matches(found[2], re.findall(r"[\w-]+", found[3]), n=1) if found else []
        super().error(f"{found[1]}; did you mean {close[0]}?" if found and close else message)
