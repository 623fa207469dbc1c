# SPDX-License-Identifier: Apache-2.0

"""The command line, for people with a path and no notebook."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from spark_zorder._cli.failures import INTERRUPTED, OK, STATEMENT_FAILED, document_of, silence, text_of
from spark_zorder._cli.parser import parse
from spark_zorder._cli.rendering import write

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code.

    It is 0, 1 if a statement failed or `doctor` found a problem, 130 if it was interrupted.

    Args:
        arguments: the words after the program's name; None takes those of the process.

    Raises:
        SystemExit: the words are no command (code 2), or asked for help or the version (code 0).

    Example:
        >>> main(["jar"])  # doctest: +SKIP
        /...jar
        0
    """
    parsed = parse(arguments)
    try:
        answer = parsed.run(parsed)
        write(answer, as_json=parsed.json)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("spark-zorder: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has enough of it. Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        return _failed(error, parsed)
    return int(answer.code)


def _failed(error: Exception, parsed: argparse.Namespace) -> int:
    if parsed.debug:
        raise error
    silence()
    print(f"spark-zorder: {text_of(error)}", file=sys.stderr)
    if parsed.json:
        print(json.dumps(document_of(error)))
    return STATEMENT_FAILED
