# SPDX-License-Identifier: Apache-2.0

"""Starts the benchmarks' other processes, one at a time, each with what it prints in a log of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any

from common.places import CODE, PYTHON

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class ChildError(Exception):
    """A process failed or took too long; the text is for the report."""


def run_child(
    environment: str, script: str, arguments: Sequence[object], log: Path, timeout: float | None = None
) -> None:
    """Runs a script of the benchmarks to its end.

    Args:
        environment: a key of `places.PYTHON`.
        script: its path in the folder `benchmarks`.
        arguments: for its command line.
        log: gets what it prints.
        timeout: seconds after which it is killed with everything that it started; none without.

    Raises:
        ChildError: its exit code is not 0, or it was killed.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(PYTHON[environment]), str(CODE / script), *map(str, arguments)]
    with log.open("w") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise ChildError(f"killed after {timeout:.0f} seconds; see {log}") from None
        finally:
            _end(child)
    if code != 0:
        raise ChildError(f"{script} ended with code {code}; see {log}")


def found_by(
    environment: str, script: str, system: str, spec: dict[str, Any], work: Path, *, reuse: bool = False
) -> dict[str, Any]:
    """What a script finds, which is given its system, a file with `spec` and the file for its result.

    Args:
        environment: a key of `places.PYTHON`.
        script: its path in the folder `benchmarks`.
        system: its first argument, and the name of its files.
        spec: what it is to measure.
        work: the folder of its files.
        reuse: take the result of an earlier run with the same `spec`, if there is one.

    Raises:
        ChildError: as `run_child`.
    """
    given, result = work / f"{system}.spec.json", work / f"{system}.result.json"
    if not (reuse and result.exists() and json.loads(given.read_text()) == spec):
        result.unlink(missing_ok=True)
        given.write_text(json.dumps(spec))
        run_child(environment, script, [system, given, result], work / f"{system}.log")
    found: dict[str, Any] = json.loads(result.read_text())
    return found


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends a child that still runs, for whatever reason, with all of its own children: they are a session."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
