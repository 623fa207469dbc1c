# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_zorder._inherited import defaults, submit_args, with_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", {}),
        ("pyspark-shell", {}),
        ("--jars /a.jar,/b.jar pyspark-shell", {"spark.jars": "/a.jar,/b.jar"}),
        ("--jars=/a.jar --conf=spark.x=1", {"spark.jars": "/a.jar", "spark.x": "1"}),
        ("--conf spark.jars=/a.jar --jars /b.jar", {"spark.jars": "/b.jar"}),
        ("--jars /b.jar -c spark.jars=/a.jar", {"spark.jars": "/b.jar"}),
        ("--conf spark.x=1 --conf spark.x=2", {"spark.x": "2"}),
        ("--conf 'spark.x=a b=c'", {"spark.x": "a b=c"}),
        (
            "--master local[2] --packages g:a:1 --verbose pyspark-shell",
            {"spark.master": "local[2]", "spark.jars.packages": "g:a:1"},
        ),
        ("--properties-file /p.conf", {"--properties-file": "/p.conf"}),
    ],
)
def test_submit_args(text: str, settings: dict[str, str]) -> None:
    assert submit_args(text) == settings


@pytest.mark.parametrize(
    ("text", "settings", "result"),
    [
        ("", {}, "pyspark-shell"),
        ("pyspark-shell", {"spark.jars": "/a b.jar"}, "--conf 'spark.jars=/a b.jar' pyspark-shell"),
        (
            "--conf spark.x=1 -c spark.x=2 --name n pyspark-shell",
            {"spark.x": "3"},
            "--name n --conf spark.x=3 pyspark-shell",
        ),
        (
            "--packages=g:a:1 --jars /a.jar",
            {"spark.jars.packages": "g:a:1,h:b:1"},
            "--jars /a.jar --conf spark.jars.packages=g:a:1,h:b:1 pyspark-shell",
        ),
    ],
)
def test_settings_of_a_command_line(text: str, settings: dict[str, str], result: str) -> None:
    assert with_settings(text, settings) == result


def test_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert defaults(None) == {}
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.jars  /a.jar\n")
    assert defaults(None) == {"spark.jars": "/a.jar"}
    other = tmp_path / "p.conf"
    other.write_text("spark.x=1")
    assert defaults(str(other)) == {"spark.x": "1"}
    monkeypatch.delenv("SPARK_CONF_DIR")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert defaults(None) == {"spark.jars": "/a.jar"}
    monkeypatch.delenv("SPARK_HOME")
    assert defaults(None) == {}
