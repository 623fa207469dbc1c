# SPDX-License-Identifier: Apache-2.0

"""Which settings Spark needs for the extension, added to those that are there. No Spark in here."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from spark_zorder._jars import artifact_of, minor_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spark_zorder._jars import Artifact
    from spark_zorder._libraries import Library

EXTENSION = "io.sparkzorder.ZOrderSparkSessionExtension"

JARS = "spark.jars"
PACKAGES = "spark.jars.packages"
CONSOLE_PROGRESS = "spark.ui.showConsoleProgress"
CLI_HEADER = "spark.sql.cli.print.header"
EXTENSIONS = "spark.sql.extensions"
CATALOG = "spark.sql.catalog.spark_catalog"
KEYS = (JARS, PACKAGES, EXTENSIONS, CATALOG)


def entries(value: str | None) -> list[str]:
    """Splits a comma-separated setting; an unset one has no entries."""
    return [entry.strip() for entry in (value or "").split(",") if entry.strip()]


def joined(*values: str | None) -> str:
    """Joins comma-separated settings, each entry once."""
    return ",".join(dict.fromkeys(entry for value in values for entry in entries(value)))


def _provided(artifact: str, jars: Sequence[str], packages: Sequence[str]) -> bool:
    """Whether a jar file or a Maven coordinate of this artifact is named, in whatever version."""
    files = (jar.rsplit("/", 1)[-1] for jar in jars)
    artifacts = (package.split(":")[1] for package in packages if ":" in package)
    return any(name.startswith(artifact) for name in (*files, *artifacts))


def named_artifacts(settings: Mapping[str, str]) -> dict[str, Artifact]:
    """Finds jars and packages of ours, of Delta and of Iceberg, by their entries in the settings; see `artifact_of`."""
    named = [entry for key in (JARS, PACKAGES) for entry in entries(settings.get(key))]
    return {entry: artifact for entry in named if (artifact := artifact_of(entry))}


def of_other_sparks(settings: Mapping[str, str], running: str) -> dict[str, Artifact]:
    """Finds those that are for another minor of Spark than the one that runs.

    Args:
        settings: the settings as they are.
        running: the version of the Spark.
    """
    found = named_artifacts(settings)
    return {entry: artifact for entry, artifact in found.items() if artifact.minor != minor_of(running)}


def _extensions(present: Sequence[str], libraries: Sequence[Library]) -> list[str]:
    # The last extension is the outermost parser: ours has to see OPTIMIZE before Delta's does.
    result = [*present] if EXTENSION in present else [*present, EXTENSION]
    for library in libraries:
        if library.extension not in result:
            result.insert(result.index(EXTENSION), library.extension)
    return result


def missing_settings(
    current: Mapping[str, str],
    jar: Callable[[], str | None],
    libraries: Sequence[Library] = (),
    *,
    extra_packages: Sequence[str] = (),
    spark: str | None = None,
) -> dict[str, str]:
    """Returns the settings to change so that a session started with them has the extension.

    What stands in `current` is kept and added to. A jar or package that is named there already, in another
    version too, is the user's choice and is left alone.

    Args:
        current: the settings as they are; keys other than the four of this module do not matter.
        jar: gives the path of our jar, None where none is needed; called only if no such jar is named yet.
        libraries: those of others that are wanted.
        extra_packages: Maven coordinates `group:artifact:version` to add.
        spark: the version of the Spark that starts with them; None for the one of this process.

    Returns:
        Key to whole new value, only for keys that change; empty if nothing is missing.

    Raises:
        ZOrderSessionError: a library is neither named nor has an artifact for that Spark.
    """
    jars, packages = entries(current.get(JARS)), entries(current.get(PACKAGES))
    named_jars, named_packages = tuple(jars), tuple(packages)
    if not _provided("spark-zorder_", named_jars, named_packages) and (path := jar()):
        jars.append(path)
    packages += [package for package in dict.fromkeys(extra_packages) if package not in packages]
    for library in libraries:
        if not _provided(library.artifact, named_jars, packages):
            packages.append(library.package(spark))
    extensions = _extensions(entries(current.get(EXTENSIONS)), libraries)
    wanted = {JARS: jars, PACKAGES: packages, EXTENSIONS: extensions}
    changed = {key: ",".join(value) for key, value in wanted.items() if value != entries(current.get(key))}
    catalog = next((library.catalog for library in libraries if library.catalog), None)
    if catalog and not current.get(CATALOG):
        changed[CATALOG] = catalog
    return changed


def complete_settings(
    current: Mapping[str, str], jar: Callable[[], str], libraries: Sequence[Library], *, spark: str | None = None
) -> dict[str, str]:
    """Returns all of our settings at their full values, those that are right already too.

    Args:
        current: the settings as they are.
        jar: gives the path of our jar.
        libraries: those of others that are wanted.
        spark: the version of the Spark that starts with them; None for the one of this process.
    """
    merged = {**current, **missing_settings(current, jar, libraries, spark=spark)}
    return {key: merged[key] for key in KEYS if merged.get(key)}


def conf_lines(settings: Mapping[str, str]) -> str:
    """Returns the settings as `--conf key=value` lines that a shell takes as they are."""
    return "\n".join(f"--conf {shlex.quote(f'{key}={value}')}" for key, value in settings.items())
