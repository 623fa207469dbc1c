# SPDX-License-Identifier: Apache-2.0

"""What a reader without our extension sees of a table: a process of its own with Delta Lake alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from launching import DELTA, DELTA_CATALOG, INTERPRETED, delta_jars, environment, small, with_shared_classes


class Seen(NamedTuple):
    """A version of a table as read by another engine: the multiset of its rows as (number, digest), its data files."""

    rows: tuple[int, str]
    files: frozenset[Path]
    version: int


class PlainDelta:
    """A long-lived reader; every question reads the latest version again."""

    def __init__(self, folder: Path) -> None:
        conf = {
            "spark.jars": ",".join(delta_jars()),
            "spark.sql.extensions": DELTA,
            "spark.sql.catalog.spark_catalog": DELTA_CATALOG,
            **small(folder),
            **INTERPRETED,
        }
        (folder / "conf.json").write_text(json.dumps(with_shared_classes(conf)))
        self._errors = (folder / "stderr.txt").open("w")
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("plain_delta_server.py")), str(folder / "conf.json")],
            cwd=folder,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._ready = False

    def see(self, table: Path) -> Seen:
        """The latest version of the table in a folder."""
        if not self._ready:
            assert self._answer() == "ready"
            self._ready = True
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"path": str(table)}) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        assert "error" not in answer, answer["error"]
        count, digest = answer["rows"]
        return Seen((count, digest), frozenset(map(Path, answer["files"])), answer["version"])

    def _answer(self):  # noqa: ANN202 - whatever JSON says
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the reader has died: {Path(self._errors.name).read_text()[-2000:]}"
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._errors.close()
