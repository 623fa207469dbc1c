# SPDX-License-Identifier: Apache-2.0

"""Checks of what a session would be started from."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from spark_zorder import _inherited, _settings
from spark_zorder._doctor.finding import OK, PROBLEM, WARNING, Finding
from spark_zorder._versions import jar_path, versions
from spark_zorder.errors import ZOrderSessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OLDEST_JAVA = 17
_OURS = re.compile(r"spark-zorder_(?P<spark>[\d.]+)_(?P<scala>[\d.]+)-.*\.jar")


def installation(*, delta: bool) -> Iterator[Finding]:
    """Finds out what a session would be started from.

    Args:
        delta: whether Delta Lake is needed.
    """
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    submitted = _inherited.submit_args(os.environ.get(_inherited.SUBMIT_ARGS, ""))
    settings = {**_inherited.defaults(submitted.get(_inherited.PROPERTIES_FILE)), **submitted}
    yield _java()
    yield Finding("Python", OK, platform.python_version())
    yield _spark(home)
    yield _hadoop(home)
    yield _jar()
    yield from _extension(settings)
    if delta or _settings.DELTA_EXTENSION in settings.get(_settings.EXTENSIONS, ""):
        yield _delta(home, settings)
    yield from _packages()


def _java() -> Finding:
    home = os.environ.get("JAVA_HOME")
    program = Path(home, "bin", "java") if home else Path(shutil.which("java") or "java")
    where = "JAVA_HOME" if home else "the PATH"
    advice = f"Install Java {_OLDEST_JAVA} or newer, and name it by JAVA_HOME."
    if not program.exists():
        return Finding("Java", PROBLEM, f"no java by {where}", advice)
    # Asking java itself would start a JVM.
    release = program.resolve().parents[1] / "release"
    found = re.search(r'^JAVA_VERSION="(.+)"', release.read_text(), re.MULTILINE) if release.is_file() else None
    if not found:
        return Finding("Java", WARNING, f"{program}, of unknown version", f"Run `java -version`. {advice}")
    status = OK if int(found[1].split(".")[0]) >= _OLDEST_JAVA else PROBLEM
    return Finding("Java", status, f"{found[1]} by {where} ({program})", "" if status == OK else advice)


def _of_jars(home: Path, name: str) -> re.Match[str] | None:
    """A jar among Spark's own, with its version."""
    wanted = re.compile(rf"{name}(?:_[\d.]+(?=_))?(?:_(?P<scala>[\d.]+))?-(?P<version>\d.*)\.jar")
    found = (wanted.fullmatch(jar.name) for jar in sorted((home / "jars").glob(f"{name}*.jar")))
    return next((match for match in found if match), None)


def _spark(home: Path) -> Finding:
    minor, scala = versions()["spark.minor"], versions()["scala.binary"]
    advice = f"Install Spark {minor} (pip install 'pyspark~={minor}.0'), or unset SPARK_HOME if it names another."
    found = _of_jars(home, "spark-core")
    if found is None:
        return Finding("Spark", PROBLEM, f"no Spark in {home}", advice)
    text = (
        f"{found['version']} in {home}, PySpark {pyspark.__version__}, Scala {found['scala']}; the jar is for {minor}"
    )
    fits = found["version"].startswith(f"{minor}.") and found["scala"] == scala
    if not fits:
        return Finding("Spark", PROBLEM, text, advice)
    if not pyspark.__version__.startswith(f"{minor}."):
        return Finding("Spark", WARNING, text, f"Install the PySpark of this Spark: pip install 'pyspark~={minor}.0'.")
    return Finding("Spark", OK, text)


def _hadoop(home: Path) -> Finding:
    found = _of_jars(home, "hadoop-client-api")
    if found is None:
        return Finding(
            "Hadoop", WARNING, f"no hadoop-client-api in {home / 'jars'}", "Look which Hadoop Spark is given."
        )
    numbers = tuple(int(part) for part in re.findall(r"\d+", found["version"])[:3])
    if numbers < (3, 4, 2):
        advice = "Parquet tables on S3 need 3.4.2 or later (docs/parquet.md, File systems); other file systems do not."
        return Finding("Hadoop", WARNING, found["version"], advice)
    return Finding("Hadoop", OK, found["version"])


def _jar() -> Finding:
    try:
        return Finding("Jar", OK, jar_path())
    except ZOrderSessionError as error:
        return Finding("Jar", PROBLEM, str(error).split("\n")[0], "Install the wheel that `make wheel` makes.")


def _extension(settings: Mapping[str, str]) -> Iterator[Finding]:
    """A session that is started by the settings alone: `spark-sql`, `spark-submit`."""
    jars = _settings.entries(settings.get(_settings.JARS))
    for jar in jars:
        match = _OURS.fullmatch(Path(jar).name)
        if match and match["spark"] != versions()["spark.minor"]:
            advice = f"Take the jar for Spark {versions()['spark.minor']}: `spark-zorder jar` prints its path."
            yield Finding("Settings", PROBLEM, f"{jar} is for Spark {match['spark']}", advice)
    if _settings.EXTENSION not in settings.get(_settings.EXTENSIONS, ""):
        advice = "spark-sql and spark-submit need it on their command line: spark-sql $(spark-zorder conf)."
        text = "none for the extension; this program and configure_spark_with_zorder add them"
        yield Finding("Settings", OK, text, advice)
    elif not any(_OURS.fullmatch(Path(jar).name) for jar in jars):
        advice = (
            "Where it is not in Spark's own folder of jars, Spark warns once and goes on without the extension: set "
        )
        yield Finding(
            "Settings",
            WARNING,
            "the extension is in spark.sql.extensions, and its jar not in spark.jars",
            advice + "spark.jars to what `spark-zorder jar` prints.",
        )
    else:
        yield Finding("Settings", OK, "extension and jar are set")


def _delta(home: Path, settings: Mapping[str, str]) -> Finding:
    wanted = versions()["delta"]
    own = _of_jars(home, "delta-spark")
    if own is not None:
        fits = own["version"] == wanted
        advice = "" if fits else f"Delta {wanted} is what this is tested with."
        return Finding("Delta", OK if fits else WARNING, f"{own['version']} in {home / 'jars'}", advice)
    named = {
        key: [entry for entry in _settings.entries(settings.get(key)) if "delta-spark" in entry]
        for key in (_settings.JARS, _settings.PACKAGES)
    }
    if named[_settings.JARS]:
        return Finding("Delta", OK, ", ".join(named[_settings.JARS]))
    for folder in sorted(Path.home().glob(f".m2/repository/io/delta/*/{wanted}")):
        if list(folder.glob("*.pom")) and not list(folder.glob("*.jar")):
            advice = (
                f"Spark takes it for the whole and finds no jar: delete {folder.parents[1]}, or name jars by --jars."
            )
            return Finding("Delta", PROBLEM, f"{folder} is half-filled", advice)
    if named[_settings.PACKAGES]:
        return Finding("Delta", OK, ", ".join(named[_settings.PACKAGES]))
    return Finding("Delta", OK, f"{wanted}, which Spark takes from Maven Central or its cache when it starts")


def _packages() -> Iterator[Finding]:
    if os.environ.get("SPARK_REMOTE") and not importlib.util.find_spec("grpc"):
        advice = "pip install 'pyspark[connect]'"
        yield Finding("Connect", PROBLEM, "SPARK_REMOTE is set, and grpcio is not installed", advice)
    missing = [name for name in ("plotly", "jinja2") if not importlib.util.find_spec(name)]
    if missing:
        advice = "For figures and reports: pip install 'spark-zorder[plot]'"
        yield Finding("Figures", WARNING, f"not installed: {', '.join(missing)}", advice)
