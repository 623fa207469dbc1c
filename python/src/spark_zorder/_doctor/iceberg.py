# SPDX-License-Identifier: Apache-2.0

"""Whether a session would have the runtime of Iceberg that our statements work with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_zorder import _settings
from spark_zorder._doctor.finding import OK, PROBLEM, Finding
from spark_zorder._jars import minor_of, spark_version
from spark_zorder._libraries import ICEBERG
from spark_zorder._misfits import other_icebergs
from spark_zorder._versions import versions
from spark_zorder.errors import ZOrderSessionError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def iceberg_runtime(home: Path, settings: Mapping[str, str]) -> Finding:
    """Looks for it in Spark's own folder of jars, which comes first, and in the settings.

    Args:
        home: the folder of the Spark.
        settings: what a session would inherit.
    """
    running = spark_version()
    try:
        package = ICEBERG.package(running)
    except ZOrderSessionError as error:
        return Finding("Iceberg", PROBLEM, str(error))
    own = [str(jar) for jar in sorted((home / "jars").glob(f"{ICEBERG.artifact}*.jar"))]
    used = {_settings.JARS: ",".join(own)} if own else settings
    for entry, artifact in _settings.of_other_sparks(used, running).items():
        if ICEBERG.has(artifact):
            advice = f"Take the one for Spark {minor_of(running)}: {package}."
            return Finding("Iceberg", PROBLEM, f"{entry} is for Spark {artifact.minor}", advice)
    others = other_icebergs(used, running)
    if others:
        advice = f"OPTIMIZE ... ZORDER BY of Iceberg tables needs {package}."
        return Finding("Iceberg", PROBLEM, f"{others[0]} is another Iceberg", advice)
    named = [entry for entry, artifact in _settings.named_artifacts(used).items() if ICEBERG.has(artifact)]
    if named:
        return Finding("Iceberg", OK, ", ".join(named))
    text = f"{versions()[ICEBERG.version]}, which Spark takes from Maven Central or its cache when it starts"
    return Finding("Iceberg", OK, text)
