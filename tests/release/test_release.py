# SPDX-License-Identifier: Apache-2.0

"""What `make release` makes of a clone of this repository: complete, twice the same, and installed as users do it.

Takes a quarter of an hour, most of it compiling, and runs in the nightly ring.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from launching import ROOT

VERSIONS = dict(re.findall(r"^([\w.]+)=(.*)$", (ROOT / "project" / "versions.properties").read_text(), re.MULTILINE))
MINORS = VERSIONS["spark.minors"].split()
# Signatures have the time in them, and of the archive only what is not a signature can be the same.
SIGNED = re.compile(r".*(\.asc|-central\.zip)$")


def made(folder: Path) -> Path:
    """A release made in a clone, whose own environment is that of this run."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    (folder / ".build").mkdir()
    for name in ("checked", "venv"):
        (folder / ".build" / name).touch()
    (folder / ".venv").symlink_to(Path(sys.executable).parents[1])
    subprocess.run(["make", "--silent", "release"], cwd=folder, check=True, timeout=3600)
    return folder / ".build" / "release"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("first") / "clone")


def files(release: Path) -> dict[str, bytes]:
    found = (file for file in sorted(release.rglob("*")) if file.is_file())
    return {str(f.relative_to(release)): f.read_bytes() for f in found if not SIGNED.fullmatch(f.name)}


def test_all_that_is_asked_for(release: Path) -> None:
    for minor in MINORS:
        name = f"spark-zorder_{minor}_{VERSIONS['scala.binary']}"
        folder = release / "maven" / "io" / "sparkzorder" / name / VERSIONS["project"]
        for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom", "-cyclonedx.json"):
            file = folder / f"{name}-{VERSIONS['project']}{end}"
            assert [Path(f"{file}.{kind}").is_file() for kind in ("asc", "md5", "sha1", "sha256", "sha512")] == [
                True
            ] * 5
    (wheel,) = (release / "python").glob("*.whl")
    jars = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".jar")]
    assert [re.findall(r"spark-zorder_([\d.]+)_", name)[0] for name in sorted(jars)] == MINORS
    assert len(list((release / "python").glob("*.tar.gz"))) == 1


def test_two_releases_are_byte_for_byte_the_same(release: Path, tmp_path: Path) -> None:
    # In another folder, later.
    again = made(tmp_path / "elsewhere" / "clone")
    one, two = files(release), files(again)
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []


@pytest.mark.parametrize("minor", MINORS)
def test_spark_takes_the_artifact_by_its_name(release: Path, tmp_path: Path, minor: str) -> None:
    """As `--packages` does, with a home and a cache of its own, so that nothing is there already."""
    other = [v for v in VERSIONS["other.sparks"].split() if v.startswith(f"{minor}.")]
    python = Path(os.environ["OTHER_SPARKS"], other[0], "bin", "python") if other else Path(sys.executable)
    package = f"io.sparkzorder:spark-zorder_{minor}_{VERSIONS['scala.binary']}:{VERSIONS['project']}"
    statement = "SELECT interleave_bits(5, 3) IS NOT NULL AS done"
    settings = {
        "spark.jars.ivy": str(tmp_path / "ivy"),
        "spark.ui.enabled": "false",
        "spark.sql.extensions": "io.sparkzorder.ZOrderSparkSessionExtension",
    }
    options = ["--master", "local[1]", "--repositories", f"file://{release / 'maven'}", "--packages", package]
    options += [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{python.parent}:{os.environ['PATH']}"}
    command = [str(python.with_name("spark-sql")), *options, "-e", statement]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, env=environment)
    assert (run.returncode, run.stdout.strip()) == (0, "true"), run.stderr
