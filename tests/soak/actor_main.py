# SPDX-License-Identifier: Apache-2.0

"""A driver of a soak run, as the role in its request says. The argument is a file with that; see `actor.Actor`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from other_actors import Optimizer, Reader
from row_writers import FolderWriter, Streamer, Writer

ROLES = {"delta": Writer, "parquet": FolderWriter, "stream": Streamer, "optimizer": Optimizer, "reader": Reader}

if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text())
    ROLES[asked["role"]](asked).run()
