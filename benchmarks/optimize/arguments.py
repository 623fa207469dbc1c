# SPDX-License-Identifier: Apache-2.0

"""The flags of the benchmarks."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from common.flags import names_of
from common.places import RESULTS
from optimize.datasets import DATASETS
from optimize.systems import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The flags, from the command line unless given."""
    parser = argparse.ArgumentParser(prog="make bench BENCH_ARGS=...", description="Every system on the same tables.")
    parser.add_argument("--rows", type=positive(int), default=10_000_000, help="rows of events (default: 10 million)")
    parser.add_argument("--scale", type=positive(float), default=1.0, help="scale of TPC-DS (default: 1, 2.9 million)")
    parser.add_argument("--files", type=positive(int), default=64, help="files of every table (default: 64)")
    parser.add_argument("--rounds", type=positive(int), default=2, help="times to measure each system (default: 2)")
    parser.add_argument("--systems", type=names_of(SYSTEMS), default=list(SYSTEMS), help=_list(SYSTEMS))
    parser.add_argument("--datasets", type=names_of(DATASETS), default=list(DATASETS), help=_list(DATASETS))
    parser.add_argument("--columns", type=names_of(("2", "4")), default=["2", "4"], help="2,4 or one of them")
    parser.add_argument("--memory", type=_memory, default="8g", help="heap of Spark's JVM (default: 8g)")
    parser.add_argument("--timeout", type=positive(int), default=7200, help="seconds for one system (default: 7200)")
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"folder of the results (default: {RESULTS})")
    return parser.parse_args(arguments)


def positive(number: Callable[[str], float]) -> Callable[[str], float]:
    """A flag's type: a number above 0."""

    def read(text: str) -> float:
        value = number(text)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return value

    return read


def _memory(text: str) -> str:
    if not re.fullmatch(r"[1-9][0-9]*[kmgKMG]", text):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 8g")
    return text


def _list(names: Collection[str]) -> str:
    return f"some of {', '.join(names)} (default: all)"
