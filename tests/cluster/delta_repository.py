# SPDX-License-Identifier: Apache-2.0

"""Delta's jars as a Maven repository of this machine, so that `spark.jars.packages` finds them without a network."""

from __future__ import annotations

import shutil
from pathlib import Path

from launching import delta_jars

GROUP = "io.delta"
POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>{GROUP}</groupId><artifactId>{name}</artifactId><version>{version}</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = (
    "<dependency><groupId>{GROUP}</groupId><artifactId>{name}</artifactId><version>{version}</version></dependency>"
)
# Nothing else is asked: a ~/.m2 that Maven filled in part would stop Ivy.
SETTINGS = """<ivysettings>
  <settings defaultResolver="here"/>
  <caches defaultCacheDir="{folder}/cache"/>
  <resolvers>
    <filesystem name="here" m2compatible="true">
      <ivy pattern="{folder}/[organisation]/[module]/[revision]/[module]-[revision].pom"/>
      <artifact pattern="{folder}/[organisation]/[module]/[revision]/[artifact]-[revision].[ext]"/>
    </filesystem>
  </resolvers>
</ivysettings>
"""


def delta_repository(folder: Path) -> dict[str, str]:
    """Makes it in the folder; returns the settings by which Spark asks it."""
    jars = {tuple(Path(jar).stem.rsplit("-", 1)): jar for jar in delta_jars()}
    for (name, version), jar in jars.items():
        others = [DEPENDENCY.format(GROUP=GROUP, name=n, version=v) for n, v in jars if n != name]
        place = folder / GROUP.replace(".", "/") / name / version
        place.mkdir(parents=True)
        shutil.copy(jar, place)
        needs = "".join(others) if name.startswith("delta-spark") else ""
        pom = POM.format(GROUP=GROUP, name=name, version=version, dependencies=needs)
        (place / f"{name}-{version}.pom").write_text(pom)
    (folder / "ivysettings.xml").write_text(SETTINGS.format(folder=folder))
    return {"spark.jars.ivySettings": str(folder / "ivysettings.xml"), "spark.jars.ivy": str(folder / "ivy")}
