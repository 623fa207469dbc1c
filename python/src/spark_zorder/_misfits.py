# SPDX-License-Identifier: Apache-2.0

"""Jars and packages in the settings that do not fit: they are the user's choice and stay, with a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder import _settings
from spark_zorder._jars import minor_of, spark_version
from spark_zorder._libraries import ICEBERG, LIBRARIES
from spark_zorder._versions import versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_zorder._jars import Artifact
    from spark_zorder._libraries import Library


def misfits(settings: Mapping[str, str], libraries: Sequence[Library]) -> list[str]:
    """Returns a sentence for each jar or package that is for another Spark, or that our statements do not work with.

    Args:
        settings: the settings as the user has them.
        libraries: those that are asked for.
    """
    running = spark_version()
    texts = [
        f"{entry} is for Spark {artifact.minor}, and Spark {running} starts with it. {_in_place_of(artifact, running)}."
        for entry, artifact in _settings.of_other_sparks(settings, running).items()
    ]
    if ICEBERG in libraries:
        texts += [
            f"{entry} is another Iceberg than {versions()['iceberg']}, which OPTIMIZE ... ZORDER BY of Iceberg tables "
            f"needs. Take {ICEBERG.package()}."
            for entry in other_icebergs(settings, running)
        ]
    return texts


def other_icebergs(settings: Mapping[str, str], running: str) -> list[str]:
    """Returns the entries of Iceberg's runtime for this Spark that are of another minor than ours links with.

    Args:
        settings: the settings as they are.
        running: the version of the Spark.
    """
    wanted = minor_of(versions()[ICEBERG.version])
    found = _settings.named_artifacts(settings).items()
    return [
        entry
        for entry, artifact in found
        if ICEBERG.has(artifact) and artifact.minor == minor_of(running) and minor_of(artifact.version) != wanted
    ]


def _in_place_of(artifact: Artifact, running: str) -> str:
    library = next((library for library in LIBRARIES if library.has(artifact)), None)
    if library is None:
        return "Take it out, and the one of this package is added"
    if not library.is_for(running):
        return f"Take it out: there is none for this Spark in version {versions()[library.version]}"
    return f"Take {library.package(running)}"
