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
from spark_zorder._doctor.iceberg import iceberg_runtime
from spark_zorder._jars import artifact_of, bundled, jar_of_spark, jar_path, minor_of, spark_home, spark_version
from spark_zorder._libraries import DELTA, ICEBERG
from spark_zorder._versions import versions
from spark_zorder.errors import ZOrderSessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OLDEST_JAVA = 17
_STARTED_BY = (_settings.JARS, _settings.PACKAGES)


def installation(*, delta: bool, iceberg: bool = False) -> Iterator[Finding]:
    """Finds out what a session would be started from.

    Args:
        delta: whether Delta Lake is needed.
        iceberg: whether Iceberg is.
    """
    home = spark_home()
    submitted = _inherited.submit_args(os.environ.get(_inherited.SUBMIT_ARGS, ""))
    settings = {**_inherited.defaults(submitted.get(_inherited.PROPERTIES_FILE)), **submitted}
    yield _java()
    yield Finding("Python", OK, platform.python_version())
    yield _spark(home)
    yield _hadoop(home)
    yield _jar()
    yield from _extension(settings)
    if delta or DELTA.extension in settings.get(_settings.EXTENSIONS, ""):
        yield _delta(home, settings)
    if iceberg or ICEBERG.extension in settings.get(_settings.EXTENSIONS, ""):
        yield iceberg_runtime(home, settings)
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


def _spark(home: Path) -> Finding:
    minors, scala = list(bundled()) or [versions()["spark.minor"]], versions()["scala.binary"]
    advice = (
        f"Install Spark {minors[-1]} (pip install 'pyspark~={minors[-1]}.0'), or unset SPARK_HOME if it names another."
    )
    found = jar_of_spark(home, "spark-core")
    if found is None:
        return Finding("Spark", PROBLEM, f"no Spark in {home}", advice)
    text = (
        f"{found['version']} in {home}, PySpark {pyspark.__version__}, Scala {found['scala']}; "
        f"there are jars for {', '.join(minors)}"
    )
    minor = minor_of(found["version"])
    if minor not in minors or found["scala"] != scala:
        return Finding("Spark", PROBLEM, text, advice)
    if minor_of(pyspark.__version__) != minor:
        return Finding("Spark", WARNING, text, f"Install the PySpark of this Spark: pip install 'pyspark~={minor}.0'.")
    return Finding("Spark", OK, text)


def _hadoop(home: Path) -> Finding:
    found = jar_of_spark(home, "hadoop-client-api")
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
        none = error.getCondition() == "ZORDER_JAR_NOT_BUNDLED"
        advice = "Install the wheel that `make wheel` makes." if none else "Install a Spark that there is a jar for."
        return Finding("Jar", PROBLEM, str(error).split("\n")[0], advice)


def _extension(settings: Mapping[str, str]) -> Iterator[Finding]:
    """A session that is started by the settings alone: `spark-sql`, `spark-submit`."""
    running = spark_version()
    for entry, artifact in _settings.of_other_sparks(settings, running).items():
        if artifact.name == "spark-zorder":
            advice = f"Take the jar for Spark {minor_of(running)}: `spark-zorder jar` prints its path."
            yield Finding("Settings", PROBLEM, f"{entry} is for Spark {artifact.minor}", advice)
    if _settings.EXTENSION not in settings.get(_settings.EXTENSIONS, ""):
        advice = "spark-sql and spark-submit need it on their command line: spark-sql $(spark-zorder conf)."
        text = "none for the extension; this program and configure_spark_with_zorder add them"
        yield Finding("Settings", OK, text, advice)
    elif not any(_is_ours(entry) for key in _STARTED_BY for entry in _settings.entries(settings.get(key))):
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


def _is_ours(entry: str) -> bool:
    found = artifact_of(entry)
    return found is not None and found.name == "spark-zorder"


def _delta(home: Path, settings: Mapping[str, str]) -> Finding:
    wanted = versions()["delta"]
    own = jar_of_spark(home, "delta-spark")
    running = spark_version()
    # Spark's own folder comes before what the settings name.
    used = {_settings.JARS: str(home / "jars" / own.string)} if own is not None else settings
    for entry, artifact in _settings.of_other_sparks(used, running).items():
        if artifact.name == "delta-spark":
            advice = f"Take the one for Spark {minor_of(running)}: {DELTA.package(running)}."
            return Finding("Delta", PROBLEM, f"{entry} is for Spark {artifact.minor}", advice)
    if own is not None:
        fits = own["version"] == wanted
        advice = "" if fits else f"Delta {wanted} is what this is tested with."
        return Finding("Delta", OK if fits else WARNING, f"{own['version']} in {home / 'jars'}", advice)
    named = {
        key: [entry for entry in _settings.entries(settings.get(key)) if "delta-spark" in entry] for key in _STARTED_BY
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
