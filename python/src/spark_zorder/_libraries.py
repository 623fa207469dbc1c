# SPDX-License-Identifier: Apache-2.0

"""Table formats of others that Spark may be given beside ours: their artifacts, extensions and catalogs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spark_zorder._jars import minor_of, spark_version
from spark_zorder._versions import versions
from spark_zorder.errors import ZOrderSessionError

if TYPE_CHECKING:
    from spark_zorder._jars import Artifact


class Library(NamedTuple):
    """One of them.

    Attributes:
        group: of its Maven artifact.
        artifact: the artifact's name up to the Spark that it is for, which its jar's begins with, too.
        version: the key of its version in versions.properties.
        extension: the class of its SQL extension.
        not_loaded: the condition of a session that runs without it.
        catalog: what takes the place of Spark's session catalog; None where catalogs are the user's to name.
        minors: the key of the minors of Spark that it has an artifact for; None for all that have a jar of ours.
    """

    group: str
    artifact: str
    version: str
    extension: str
    not_loaded: str
    catalog: str | None = None
    minors: str | None = None

    def is_for(self, spark: str) -> bool:
        """Whether it has an artifact for a Spark of this version."""
        return self.minors is None or minor_of(spark) in versions()[self.minors].split()

    def has(self, artifact: Artifact) -> bool:
        """Whether that is one of its artifacts, for whichever Spark."""
        return self.artifact.startswith(artifact.name)

    def package(self, spark: str | None = None) -> str:
        """Returns the Maven coordinate of the version that this package is tested with.

        Args:
            spark: the version of the Spark that it is for; None as in `jar_path`.

        Raises:
            ZOrderSessionError: there is none for that Spark (`ZORDER_ICEBERG_ON_OTHER_SPARK`).
        """
        wanted = spark or spark_version()
        if not self.is_for(wanted):
            raise _on_other_spark(wanted)
        version = versions()
        return f"{self.group}:{self.artifact}{minor_of(wanted)}_{version['scala.binary']}:{version[self.version]}"


DELTA = Library(
    group="io.delta",
    artifact="delta-spark_",
    version="delta",
    extension="io.delta.sql.DeltaSparkSessionExtension",
    not_loaded="ZORDER_DELTA_NOT_LOADED",
    catalog="org.apache.spark.sql.delta.catalog.DeltaCatalog",
)
ICEBERG = Library(
    group="org.apache.iceberg",
    artifact="iceberg-spark-runtime-",
    version="iceberg",
    extension="org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    not_loaded="ZORDER_ICEBERG_NOT_LOADED",
    minors="iceberg.spark.minors",
)
LIBRARIES = (DELTA, ICEBERG)


def asked_for(*, delta: bool, iceberg: bool) -> tuple[Library, ...]:
    """Returns the libraries that a caller asks for by these names."""
    return tuple(library for library, is_asked in zip(LIBRARIES, (delta, iceberg), strict=True) if is_asked)


def require_artifacts(libraries: tuple[Library, ...], spark: str | None = None) -> None:
    """Checks that each of them has an artifact for a Spark, also where the user names one.

    Args:
        libraries: those that are asked for.
        spark: the version of the Spark; None as in `jar_path`.

    Raises:
        ZOrderSessionError: one has none (`ZORDER_ICEBERG_ON_OTHER_SPARK`).
    """
    for library in libraries:
        library.package(spark)


def _on_other_spark(running: str) -> ZOrderSessionError:
    version = versions()
    minors = version["iceberg.spark.minors"].split()
    return ZOrderSessionError(
        "ZORDER_ICEBERG_ON_OTHER_SPARK",
        running=running,
        iceberg=version["iceberg"],
        sparks=", ".join(minors),
        newest=minors[-1],
    )
