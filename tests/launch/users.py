# SPDX-License-Identifier: Apache-2.0

"""`spark-sql` as ordinary users of this machine run it: the superuser, as whom tests run, meets no closed file."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

import spark_zorder
from launching import ZORDER, environment, flags, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARK = Path(pyspark.__file__).parent
# As docs/parquet.md has it for teams: new folders open to the group, no `_SUCCESS` that a second member cannot open.
OF_TEAMS = {
    "spark.hadoop.fs.permissions.umask-mode": "002",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
# What a driver prints once a statement is done.
_MARK = "statement-is-done"
_OF_THE_SHELL = ("spark-sql", "Time taken")


@dataclass(frozen=True)
class User:
    """A user of this machine by name, with the number of the one group that it is in."""

    name: str
    group: int

    @property
    def number(self) -> int:
        return pwd.getpwnam(self.name).pw_uid

    def may_read(self, *files: Path) -> bool:
        """Whether a process of this user can read all of them: the way there may be closed."""
        tests = " && ".join(f"test -r '{file}'" for file in files)
        return subprocess.run(["sh", "-c", tests], check=False, **self.rights()).returncode == 0

    def rights(self) -> dict[str, object]:
        """For `subprocess`: this user, its group and no other, new files open to the group."""
        return {"user": self.number, "group": self.group, "extra_groups": [self.group], "umask": 0o002}

    def can_start_spark(self) -> bool:
        return self.may_read(
            SPARK / "bin" / "spark-sql", *[*(SPARK / "jars").glob("spark-core*")], Path(spark_zorder.jar_path())
        )


class SparkSql:
    """A `spark-sql` of the user, which carries out one statement after the other in a folder of the user's."""

    def __init__(self, user: User, folder: Path) -> None:
        folder.mkdir()
        os.chown(folder, user.number, user.group)
        conf = settings(folder, [ZORDER], delta=False) | OF_TEAMS | {"spark.local.dir": str(folder)}
        conf["spark.driver.extraJavaOptions"] += f" -Djava.io.tmpdir={folder} -Duser.home={folder}"
        self._process = subprocess.Popen(
            [shutil.which("bash") or "bash", str(SPARK / "bin" / "spark-sql"), *flags(conf)],
            cwd=folder,
            env=environment() | {"HOME": str(folder), "SPARK_HOME": str(SPARK), "SPARK_LOCAL_DIRS": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **user.rights(),  # type: ignore[call-overload]
        )
        self.sql("SET spark.sql.cli.print.header = false")

    def sql(self, statement: str) -> list[str]:
        """The lines that it answers; the text of an error, too, is such lines."""
        self.begin(statement)
        return list(self._answer())

    def begin(self, statement: str) -> None:
        """Does not wait for the answer."""
        assert self._process.stdin
        self._process.stdin.write(f"{statement};\nSELECT '{_MARK}';\n")
        self._process.stdin.flush()

    def _answer(self) -> Iterator[str]:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.strip() == _MARK:
                return
            if not line.startswith(_OF_THE_SHELL):
                yield line.rstrip("\n")
        raise AssertionError(f"spark-sql ended with {self._process.wait()}")

    def kill(self) -> None:
        """As a machine that is switched off; it is not told."""
        os.killpg(self._process.pid, 9)
        self._process.wait()

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


class Watch:
    """A process of the user's that looks for files that it can read, over and over."""

    def __init__(self, user: User, table: Path) -> None:
        self._seen = table.with_suffix(".seen")
        self._seen.write_text("")
        os.chown(self._seen, user.number, user.group)
        self._go = Path(f"{self._seen}.go")
        find = f"find '{table}' -type f -readable >> '{self._seen}' 2>/dev/null"
        look = f"{find}; while test -e '{self._go}'; do {find}; done"
        self._go.touch()
        self._process = subprocess.Popen(["sh", "-c", look], **user.rights())

    def found(self) -> set[str]:
        self._go.unlink()
        self._process.wait()
        return set(self._seen.read_text().split("\n")) - {""}
