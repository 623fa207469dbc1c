# SPDX-License-Identifier: Apache-2.0

"""What is installed is the wheel, and the jar has nothing of others in it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import spark_zorder
from launching import ROOT
from spark_zorder._jars import bundled
from spark_zorder._versions import versions


def test_tests_import_the_installed_wheel() -> None:
    assert "site-packages" in Path(spark_zorder.__file__).parts


def test_the_wheel_has_a_jar_for_each_spark(is_nightly: bool) -> None:
    has_all = list(bundled()) == versions()["spark.minors"].split()
    # Shorter rings are done with the jars of some Sparks, in a wheel that nobody else gets.
    (wheel,) = (ROOT / ("python" if has_all else ".build") / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    jars = [name for name in names if name.endswith(".jar")]

    assert sorted(jars) == [f"spark_zorder/jars/{jar.name}" for jar in bundled().values()]
    assert all(zipfile.ZipFile(wheel).read(f"spark_zorder/jars/{j.name}") == j.read_bytes() for j in bundled().values())
    assert versions()["spark.minor"] in bundled()
    assert has_all or not is_nightly


@pytest.mark.parametrize("minor", list(bundled()))
def test_a_jar_says_which_spark_it_is_for(minor: str) -> None:
    said = zipfile.ZipFile(bundled()[minor]).read("io/sparkzorder/versions.properties").decode()
    assert f"\nspark.minor={minor}\n" in said


@pytest.mark.parametrize("minor", list(bundled()))
def test_the_jar_has_only_our_classes(minor: str) -> None:
    names = [name for name in zipfile.ZipFile(bundled()[minor]).namelist() if not name.endswith("/")]

    ours = ("io/sparkzorder/", "org/apache/spark/sql/zorder/", "error/zorder-", "META-INF/")
    assert [name for name in names if not name.startswith(ours)] == []
    assert "io/sparkzorder/ZOrderSparkSessionExtension.class" in names


def test_the_jar_is_for_java_17() -> None:
    jar = zipfile.ZipFile(spark_zorder.jar_path())
    versions = {jar.read(n)[7] for n in jar.namelist() if n.endswith(".class")}

    assert max(versions) <= 61
