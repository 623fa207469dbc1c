# SPDX-License-Identifier: Apache-2.0

"""Hatch build hook: wheel and source distribution carry jars of their own version, one for each minor of Spark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def check_bundle(package: Path, version: str) -> None:
    """Refuses a package folder that a wheel must not be made of.

    Args:
        package: the folder `spark_zorder` with `jars/` and `versions.properties` in it.
        version: the version of the wheel.

    Raises:
        RuntimeError: no jar, a jar of another version, or no `versions.properties`.
    """
    jars = sorted(path.name for path in (package / "jars").glob("*.jar"))
    if not jars:
        raise RuntimeError(
            f"The package must carry a jar, but {package / 'jars'} holds none. Build with `make wheel`, which puts the "
            "jars there and removes older ones."
        )
    for jar in jars:
        if not re.fullmatch(rf"spark-zorder_\d+\.\d+_\d+\.\d+-{re.escape(version)}\.jar", jar):
            raise RuntimeError(f"The jar {jar} is not spark-zorder {version}. Build with `make wheel`.")
    if not (package / "versions.properties").is_file():
        raise RuntimeError(f"{package / 'versions.properties'} is missing. Build with `make wheel`.")


class BundleCheck(BuildHookInterface[Any]):
    """Runs the check before hatch writes a wheel or a source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Checks the bundle; an editable install is for development and needs no jar.

        Args:
            version: hatch's name of the build variant, "standard" or "editable".
            build_data: hatch's build data, left as it is.

        Raises:
            RuntimeError: the bundle is not complete.
        """
        if version != "editable":
            check_bundle(Path(self.root) / "src" / "spark_zorder", self.metadata.version)
