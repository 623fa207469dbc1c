# SPDX-License-Identifier: Apache-2.0

"""An hour of writers, rewrites and readers on a Delta table and a folder, by drivers that are killed and paused.

    make soak SOAK_MINUTES=60 SOAK_SEED=1

Eight writers (five on Delta: every statement, a stream; three on the folder: appends, overwrites of a partition), two
optimizers (full, incremental, ANALYZE) and a reader are a process each. They are killed and started again, or sleep for
a while, by chance. All along the reader compares rows with the writers' own records, and so does each writer that comes
back; in the end everything is compared, also without the extension.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import holdings  # noqa: E402
from soak_run import FULL, SMALL, Soak  # noqa: E402


def soak(folder: Path, minutes: float, seed: int, *, small: bool) -> list[str]:
    """One run, which prints what it has done.

    Returns:
        What is wrong; nothing of a good run.
    """
    print(f"soak of {minutes:g} minutes, seed {seed}", flush=True)
    run = Soak(folder, seed, SMALL if small else FULL)
    try:
        run.run(minutes * 60)
        wrong = run.errors() or run.check()
    finally:
        run.kill_all()
    for what, n in sorted((run.counts() + run.events).items()):
        print(f"  {what}: {n}")
    print("\n".join(["", *holdings.table(run.told()), ""]))
    print("\n".join(["WRONG:", *wrong]) if wrong else "rows: as the writers' records say", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60, help="from when all drivers run (default: 60)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of kills, pauses and statements")
    parser.add_argument("--small", action="store_true", help="three writers in place of eight")
    parser.add_argument("--folder", type=Path, help="is kept; the default is a temporary one")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = flags.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        return 1 if soak(folder, flags.minutes, flags.seed, small=flags.small) else 0


if __name__ == "__main__":
    sys.exit(main())
