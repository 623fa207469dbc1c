# SPDX-License-Identifier: Apache-2.0

"""The jars that the package carries, one for each minor of Spark, and which of them a Spark takes."""

from __future__ import annotations

import re
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pyspark
from pyspark.find_spark_home import _find_spark_home

from spark_zorder._versions import PACKAGE, versions
from spark_zorder.errors import ZOrderSessionError

_OURS = re.compile(r"spark-zorder_(?P<minor>\d+\.\d+)_(?P<scala>\d+\.\d+)-.*\.jar")
# As a file and as a coordinate. Delta's older artifacts name no Spark.
_OF_A_SPARK = re.compile(
    r"(?:^|[/:])(?P<name>spark-zorder|delta-spark|iceberg-spark-runtime)[_-](?P<minor>\d+\.\d+)_\d+\.\d+[-:]"
    r"(?P<version>[^/]*?)(?:\.jar)?$"
)


def spark_home() -> Path:
    """Returns the folder of the Spark that a session of this process would start, found as PySpark finds it."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            return Path(_find_spark_home())
        except SystemExit:
            return Path(pyspark.__file__).parent


def jar_of_spark(home: Path, name: str) -> re.Match[str] | None:
    """Finds one of Spark's own jars.

    Args:
        home: the folder of a Spark.
        name: the jar's name up to the versions, as in `spark-core`.

    Returns:
        A match with the groups `version` and `scala`, or None where there is no such jar.
    """
    wanted = re.compile(rf"{name}(?:_[\d.]+(?=_))?(?:_(?P<scala>[\d.]+))?-(?P<version>\d.*)\.jar")
    found = (wanted.fullmatch(jar.name) for jar in sorted((home / "jars").glob(f"{name}*.jar")))
    return next((match for match in found if match), None)


def spark_version() -> str:
    """Returns the version of the Spark that a session of this process would start, PySpark's own without SPARK_HOME."""
    found = jar_of_spark(spark_home(), "spark-core")
    return found["version"] if found else pyspark.__version__


def minor_of(version: str) -> str:
    """Returns `4.2` of `4.2.1`; a vendor's or an unfinished version counts as that one, and other text as it is."""
    found = re.match(r"\d+\.\d+(?!\d)", version)
    return found[0] if found else version


def has_own_jar(home: Path) -> bool:
    """Whether a Spark has a jar of ours among its own, which every session of it has then."""
    return any(minor_of_jar(jar.name) for jar in (home / "jars").glob("spark-zorder_*.jar"))


def minor_of_jar(name: str) -> str | None:
    """Returns the minor of Spark that a jar of ours is for, by the jar's name; None for another jar."""
    found = _OURS.fullmatch(name)
    return found["minor"] if found else None


class Artifact(NamedTuple):
    """What the name of a jar or a Maven coordinate says: `spark-zorder`, the minor of Spark, and its own version."""

    name: str
    minor: str
    version: str


def artifact_of(entry: str) -> Artifact | None:
    """Reads the name of a jar or a Maven coordinate of ours, of Delta or of Iceberg.

    Returns:
        What it is; None for all others, and where the name does not say which Spark it is for.
    """
    found = _OF_A_SPARK.search(entry)
    return Artifact(found["name"], found["minor"], found["version"]) if found else None


def bundled() -> dict[str, Path]:
    """Returns the jars of the package by the minors of Spark that they are for, oldest first."""
    jars = {minor_of_jar(jar.name): jar.resolve() for jar in (PACKAGE / "jars").glob("*.jar")}
    return {minor: jars[minor] for minor in sorted(filter(None, jars), key=_numbers)}


def _numbers(minor: str) -> list[int]:
    return [int(number) for number in minor.split(".")]


def jar_path(spark: str | None = None) -> str:
    """Returns the absolute path of the jar that this package carries for a Spark.

    Args:
        spark: the version of that Spark, as in `4.1` or `4.1.3`; None takes the one that a session of this process
            would start: that of SPARK_HOME, else PySpark's own.

    Raises:
        ZOrderSessionError: no jar here is for that Spark (`ZORDER_OTHER_SPARK`), or there is no jar at all
            (`ZORDER_JAR_NOT_BUNDLED`).

    Example:
        >>> jar_path("4.2")  # doctest: +SKIP
        '/venv/lib/python3.11/site-packages/spark_zorder/jars/spark-zorder_4.2_2.13-0.2.0.jar'
    """
    jars, wanted = bundled(), spark or spark_version()
    if not jars:
        raise ZOrderSessionError("ZORDER_JAR_NOT_BUNDLED", folder=str(PACKAGE / "jars"))
    if minor_of(wanted) not in jars:
        raise ZOrderSessionError(
            "ZORDER_OTHER_SPARK",
            running=wanted,
            sparks=", ".join(jars),
            newest=list(jars)[-1],
        )
    return str(jars[minor_of(wanted)])


def jar_path_or_placeholder(spark: str | None = None) -> str:
    """Returns the jar's path for an error's text: a missing jar must not hide the error itself."""
    try:
        return jar_path(spark)
    except ZOrderSessionError:
        version = versions()
        name = f"spark-zorder_{minor_of(spark or spark_version())}_{version['scala.binary']}-{version['project']}.jar"
        return f"/path/to/{name}"
