# SPDX-License-Identifier: Apache-2.0

"""What the benchmarks' command lines have in common."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


def names_of(known: Collection[str]) -> Callable[[str], list[str]]:
    """A type of flag: names out of `known`, separated by commas, one or more."""

    def read(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in known]
        if unknown or not names:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown) or 'nothing'} named; known: {', '.join(known)}")
        return names

    return read


def command(target: str) -> str:
    """The command that runs this benchmark with the flags that it was given."""
    given = " ".join(sys.argv[1:])
    return f"make {target} BENCH_ARGS='{given}'" if given else f"make {target}"
