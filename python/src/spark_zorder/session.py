# SPDX-License-Identifier: Apache-2.0

"""Starts Spark with the extension, and tells a session that has it from one that has not."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession
from pyspark.util import default_api_mode

from spark_zorder import _settings
from spark_zorder._jars import bundled, jar_path, jar_path_or_placeholder
from spark_zorder._java import RunningJava
from spark_zorder._libraries import DELTA, LIBRARIES, Library, asked_for, require_artifacts
from spark_zorder._misfits import misfits
from spark_zorder._starting import add_to_new_java, add_to_running_java
from spark_zorder.errors import ZOrderSessionError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def configure_spark_with_zorder(
    builder: SparkSession.Builder,
    *,
    delta: bool = False,
    iceberg: bool = False,
    extra_packages: Sequence[str] | None = None,
) -> SparkSession.Builder:
    """Adds the bundled jar and the SQL extension to a session builder, and Delta and Iceberg if asked.

    Adds to `spark.jars`, `spark.jars.packages` and `spark.sql.extensions`, keeping what the builder,
    PYSPARK_SUBMIT_ARGS and spark-defaults.conf set; a second call changes nothing. A package or jar of Delta's or
    Iceberg's that is named already stays, as does a jar of ours, with a warning where it is for another Spark; and so
    does another `spark_catalog` (with a warning). Catalogs of Iceberg's are yours to set (`spark.sql.catalog.<name>`).

    Jars and packages, those of the builder too, go into PYSPARK_SUBMIT_ARGS, by which the JVM is started, and leave the
    builder: if it had `spark.jars`, the executors of a cluster would not get the packages' jars. So give the builder
    its own before this call. A local Connect server (`remote("local[2]")`) gets the extensions that way too: PySpark
    would set what a builder has on the server's session as well, and the server refuses that with a warning.

    Where a builder cannot do it, the builder comes back as it was: for a Spark Connect server (`sc://...`), whose
    jars and extensions are its own, and, with a warning, under `spark-submit`, whose command line started the JVM.
    `require_extension` and `ZOrderTable` check the session itself.

    Args:
        builder: the builder, classic or remote; `remote("local[2]")` starts a server.
        delta: adds Delta Lake's package, its extension before ours, and its catalog.
        iceberg: adds Iceberg's package, its runtime for this Spark, and its extension before ours.
        extra_packages: Maven coordinates `group:artifact:version` to add to `spark.jars.packages`.

    Returns:
        The same builder.

    Raises:
        ZOrderSessionError: a session runs already without the extension (`ZORDER_EXTENSION_NOT_LOADED`,
            `ZORDER_EXTENSION_NOT_ON_CLASS_PATH`, `ZORDER_DELTA_NOT_LOADED`, `ZORDER_ICEBERG_NOT_LOADED`), a JVM runs
            already, after `stop()` too, that was started without the jars (`ZORDER_JVM_WITHOUT_JARS`), the package has
            no jar for the Spark that would start (`ZORDER_OTHER_SPARK`), or none at all (`ZORDER_JAR_NOT_BUNDLED`), or
            Iceberg has no runtime for that Spark (`ZORDER_ICEBERG_ON_OTHER_SPARK`).

    Example:
        >>> builder = SparkSession.builder.appName("flights")
        >>> spark = configure_spark_with_zorder(builder, delta=True).getOrCreate()  # doctest: +SKIP
    """
    running = _running_session()
    if running is not None:
        require_extension(running, delta=delta, iceberg=iceberg)
        return builder
    options = {key: str(value) for key, value in builder._options.items()}
    if _is_for_a_server(builder, options):
        return builder
    libraries = asked_for(delta=delta, iceberg=iceberg)
    require_artifacts(libraries)
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        _keep_extensions(builder, options, libraries)
        lines = _settings.conf_lines(_settings.complete_settings({}, jar_path_or_placeholder, libraries))
        text = "Jars and extensions come from the command line under spark-submit; it must have these settings:"
        warnings.warn(f"{text}\n{lines}", UserWarning, stacklevel=2)
        return builder

    packages = tuple(extra_packages or ())
    java = RunningJava.of_this_process()
    if java is None:
        current = add_to_new_java(builder, libraries, packages=packages, with_server=_starts_a_server(options))
    else:
        current = add_to_running_java(builder, java, libraries, packages=packages)
    for text in misfits(current, libraries):
        warnings.warn(text, UserWarning, stacklevel=2)
    if delta and current.get(_settings.CATALOG) not in (None, "", DELTA.catalog):
        text = (
            f"{_settings.CATALOG} is {current[_settings.CATALOG]} and stays so. Delta tables can be used by name only "
            f"if that catalog hands them to {DELTA.catalog}, as Unity Catalog's does."
        )
        warnings.warn(text, UserWarning, stacklevel=2)
    return builder


def require_extension(spark: SparkSession, *, delta: bool = False, iceberg: bool = False) -> None:
    """Checks that a running session has the extension; works on classic and Connect sessions.

    Args:
        spark: the session.
        delta: whether Delta's extension is required too.
        iceberg: whether Iceberg's is.

    Raises:
        ZOrderTypeError: this is no session (`ZORDER_INVALID_TYPE`).
        ZOrderSessionError: it has not; the text holds the exact settings to restart with
            (`ZORDER_EXTENSION_NOT_LOADED`, `ZORDER_EXTENSION_NOT_ON_CLASS_PATH`, `ZORDER_DELTA_NOT_LOADED`,
            `ZORDER_ICEBERG_NOT_LOADED`), or its Spark is one that this package has no jar for (`ZORDER_OTHER_SPARK`),
            or Iceberg no runtime (`ZORDER_ICEBERG_ON_OTHER_SPARK`).

    Example:
        >>> require_extension(spark)  # doctest: +SKIP
    """
    if not _is_session(spark):
        raise wrong_type("spark", "a SparkSession", spark)
    named = _settings.entries(spark.conf.get(_settings.EXTENSIONS, ""))
    libraries = asked_for(delta=delta, iceberg=iceberg)
    not_loaded = next((library for library in libraries if library.extension not in named), None)
    # The setting alone proves nothing: Spark only logs a warning if it cannot load an extension's class.
    if not spark.catalog.functionExists("interleave_bits"):
        absent = _settings.EXTENSION not in named
        condition = "ZORDER_EXTENSION_NOT_LOADED" if absent else "ZORDER_EXTENSION_NOT_ON_CLASS_PATH"
        extension = _settings.EXTENSION
    elif not_loaded is not None:
        condition, extension = not_loaded.not_loaded, not_loaded.extension
    else:
        return
    # That of a server, which may be another than PySpark's.
    running = spark.version
    if bundled():
        jar_path(running)
    current = {key: spark.conf.get(key, "") or "" for key in _settings.KEYS}
    there = [library for library in LIBRARIES if library.extension in named and library.is_for(running)]
    wanted = _settings.complete_settings(
        current, lambda: jar_path_or_placeholder(running), (*dict.fromkeys((*libraries, *there)),), spark=running
    )
    settings = _settings.conf_lines(wanted)
    raise ZOrderSessionError(condition, extension=extension, settings=settings)


def _is_session(spark: object) -> bool:
    # Those of Spark Connect have a class of their own; a DataFrame there has any attribute, but no such method.
    return not isinstance(spark, type) and callable(getattr(spark, "sql", None)) and hasattr(spark, "catalog")


def spark_conf(*, delta: bool = False, iceberg: bool = False, spark: str | None = None) -> dict[str, str]:
    """Returns the settings for spark-submit, spark-sql and the like.

    In a Python process `configure_spark_with_zorder` sets them: a SparkConf with both jars and packages would keep the
    packages from the executors of a cluster.

    Args:
        delta: whether Delta Lake's package, extension and catalog are wanted too.
        iceberg: whether Iceberg's package and extension are; its catalogs are yours to set.
        spark: the version of the Spark that starts with them, as in `4.1`; None takes the one that a session of this
            process would start.

    Raises:
        ZOrderSessionError: the package has no jar for that Spark (`ZORDER_OTHER_SPARK`), or none at all
            (`ZORDER_JAR_NOT_BUNDLED`), or Iceberg has no runtime for it (`ZORDER_ICEBERG_ON_OTHER_SPARK`).

    Example:
        >>> spark_conf()  # doctest: +SKIP
        {'spark.jars': '/...jar', 'spark.sql.extensions': 'io.sparkzorder.ZOrderSparkSessionExtension'}
    """
    libraries = asked_for(delta=delta, iceberg=iceberg)
    return _settings.missing_settings({}, lambda: jar_path(spark), libraries, spark=spark)


def _running_session() -> SparkSession | None:
    try:
        return SparkSession.active()
    except PySparkRuntimeError as error:
        if error.getCondition() != "NO_ACTIVE_OR_DEFAULT_SESSION":
            raise
        return None


def _is_for_a_server(builder: SparkSession.Builder, options: Mapping[str, str]) -> bool:
    """Whether the builder connects to a server that runs elsewhere; decided as PySpark's own builder does."""
    url = options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "local")
    return not url.startswith("local") or type(builder).__module__.startswith("pyspark.sql.connect.")


def _starts_a_server(options: Mapping[str, str]) -> bool:
    """Whether a builder that is not for a server elsewhere starts one here, as a part of this process."""
    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", "")).lower()
    if mode not in ("classic", "connect"):
        mode = default_api_mode()
    remote = "spark.remote" in options or "SPARK_REMOTE" in os.environ or "SPARK_CONNECT_MODE_ENABLED" in os.environ
    return remote or mode == "connect"


def _keep_extensions(builder: SparkSession.Builder, options: Mapping[str, str], libraries: Sequence[Library]) -> None:
    """Under spark-submit: adds our extension where the builder overrides the command line's list anyway.

    The JVM runs and its settings cannot be seen from here, so a list of our own would drop what stands there.
    """
    key = _settings.EXTENSIONS
    if key in options:
        builder.config(key, _settings.complete_settings(options, jar_path_or_placeholder, libraries)[key])
