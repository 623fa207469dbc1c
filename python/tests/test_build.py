# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
sys.path.insert(0, str(Path(__file__).parents[1]))

from hatch_build import check_bundle

from tests.conftest import JAR_NAME, MINOR, PROJECT


def test_a_whole_bundle(package: Path) -> None:
    (package / "jars" / JAR_NAME).touch()
    (package / "jars" / JAR_NAME.replace(MINOR, "4.9")).touch()
    (package / "versions.properties").touch()
    check_bundle(package, PROJECT)


@pytest.mark.parametrize(
    ("jars", "message"),
    [
        ([], "holds none"),
        ([JAR_NAME, "spark-zorder_4.2_2.13-0.0.9.jar"], rf"0\.0\.9\.jar is not spark-zorder {PROJECT}"),
        (["spark-zorder_4.2_2.13-0.0.9.jar"], rf"0\.0\.9\.jar is not spark-zorder {PROJECT}"),
        (["other-0.1.0.jar"], "is not spark-zorder"),
        ([JAR_NAME], r"versions\.properties is missing"),
    ],
)
def test_no_whole_bundle(package: Path, jars: list[str], message: str) -> None:
    for jar in jars:
        (package / "jars" / jar).touch()
    with pytest.raises(RuntimeError, match=message) as caught:
        check_bundle(package, PROJECT)
    assert "make wheel" in str(caught.value)
