# SPDX-License-Identifier: Apache-2.0

"""What is installed is the wheel, and the jar has nothing of others in it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import spark_zorder
from launching import ROOT


def test_tests_import_the_installed_wheel() -> None:
    assert "site-packages" in Path(spark_zorder.__file__).parts


def test_the_wheel_has_exactly_one_jar() -> None:
    (wheel,) = (ROOT / "python" / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    jars = [name for name in names if name.endswith(".jar")]

    assert jars == [f"spark_zorder/jars/{Path(spark_zorder.jar_path()).name}"]
    assert zipfile.ZipFile(wheel).read(jars[0]) == Path(spark_zorder.jar_path()).read_bytes()


def test_the_jar_has_only_our_classes() -> None:
    names = [name for name in zipfile.ZipFile(spark_zorder.jar_path()).namelist() if not name.endswith("/")]

    ours = ("io/sparkzorder/", "org/apache/spark/sql/zorder/SparkInternals", "error/zorder-", "META-INF/")
    assert [name for name in names if not name.startswith(ours)] == []
    assert "io/sparkzorder/ZOrderSparkSessionExtension.class" in names


def test_the_jar_is_for_java_17() -> None:
    jar = zipfile.ZipFile(spark_zorder.jar_path())
    versions = {jar.read(n)[7] for n in jar.namelist() if n.endswith(".class")}

    assert max(versions) <= 61
