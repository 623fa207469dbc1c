# SPDX-License-Identifier: Apache-2.0

"""What `tests/run-all` runs on other Sparks: no part of it is empty without a word."""

from __future__ import annotations

import os
import subprocess
from datetime import date, timedelta
from fnmatch import fnmatchcase
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from turns import DAYS, RINGS, of_the_day

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
MINORS = ["4.0", "4.1"]
TODAY = date(2026, 11, 28)


@pytest.fixture(scope="module")
def runner() -> Iterator[Any]:
    """`tests/run-all`, as `make` starts it."""
    loader = SourceFileLoader("run_all", str(ROOT / "tests" / "run-all"))
    spec = spec_from_loader("run_all", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SBT", "java -Xmx2g -Dspark.minor=4.2 -jar sbt.jar")
        yield module


def test_each_minor_with_a_jar_has_its_suites(runner: Any) -> None:
    assert [runner.minor_of(spark) for spark in runner.sparks_with_a_jar()] == MINORS
    assert sorted(["4.2", *MINORS]) == sorted(runner.listed("spark.minors"))
    night = [suite.name for suite in runner.suites_of("nightly", TODAY)]
    for spark in runner.sparks_with_a_jar():
        assert {f"spark-{spark}", f"spark-{spark}-connect", f"scala-{runner.minor_of(spark)}"} <= set(night)


def test_other_sparks_take_turns(runner: Any) -> None:
    all_days = [runner.suites_of("long", TODAY + timedelta(days=day)) for day in range(2 * len(runner.other_sparks()))]
    days = all_days[: len(runner.other_sparks())]
    wrong = [suite.name for suites in days for suite in suites if suite.name.startswith("wrong-jar-")]
    assert sorted(wrong) == [f"wrong-jar-{spark}" for spark in runner.other_sparks()]
    of_six = [suite for suites in all_days for suite in suites]
    # Statements by the jars of others and by Connect, and what differs most between Sparks.
    statements = {suite.name for suite in of_six if suite.name.startswith("spark-")}
    assert statements == {f"spark-{spark}" for spark in runner.sparks_with_a_jar()}
    assert sum(suite.name == "newest-patch-connect" for suite in of_six) == 2
    scala = [suite.command[-1] for suite in of_six if suite.name == "scala-4.1"]
    assert sorted("parser" in command for command in scala) == [False, True]


def test_each_day_has_the_browser_or_random_queries(runner: Any) -> None:
    days = [[suite.name for suite in runner.suites_of("long", TODAY + timedelta(days=day))] for day in range(2)]
    assert [{"browser", "random-queries"} & {*names} for names in days] in (
        [{"browser"}, {"random-queries"}],
        [{"random-queries"}, {"browser"}],
    )
    night = [suite.name for suite in runner.suites_of("nightly", TODAY)]
    assert {"browser", "random-queries"} <= {*night}


def test_the_newest_patch_is_set_up_on_its_days(runner: Any) -> None:
    for day in (TODAY + timedelta(days=day) for day in range(DAYS)):
        names = [suite.name for suite in runner.suites_of("long", day)]
        assert bool(runner.newest_patch_of("long", day)) == ("newest-patch-connect" in names)
    assert runner.newest_patch_of("nightly", TODAY)


@pytest.mark.parametrize("ring", ["long", "nightly"])
def test_make_is_told_what_a_ring_needs(runner: Any, ring: str) -> None:
    """Make does not give the script what it starts sbt with."""
    environment = {key: value for key, value in os.environ.items() if key != "SBT"}
    needs = {"sparks": runner.sparks_in_turn, "minors": runner.minors_with_jars, "newest": runner.newest_patch_of}
    day = next(day for day in (TODAY + timedelta(days=d) for d in range(3)) if "4.1" in needs["minors"](ring, day))
    for what, of in needs.items():
        command = [ROOT / "tests" / "run-all", f"--ring={ring}", f"--{what}"]
        environment["ZORDER_TEST_DAY"] = str(day)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split() == of(ring, day)


def test_each_spark_with_tests_has_its_jar(runner: Any) -> None:
    for day in (TODAY + timedelta(days=day) for day in range(DAYS)):
        on = {suite.name.removeprefix("spark-") for suite in runner.suites_of("long", day)}
        minors = {runner.minor_of(spark) for spark in runner.sparks_with_a_jar() if spark in on}
        assert {*minors, "4.2"} <= {*runner.minors_with_jars("long", day)}
    assert runner.minors_with_jars("nightly", TODAY) == runner.listed("spark.minors")


def test_icebergs_scala_suites_take_turns(runner: Any) -> None:
    days = [runner.suites_of("long", TODAY + timedelta(days=day)) for day in range(2 * len(runner.other_sparks()))]
    words = [word for suites in days for s in suites if s.name == "scala-4.1" for word in s.command[-1].split()]
    of_iceberg = [word for word in words if word.startswith("*.Iceberg")]
    assert len(of_iceberg) == len(set(of_iceberg)) == len(list(ROOT.glob("jvm/**/spark-4.1/**/Iceberg*Suite.scala")))


def test_all_take_their_turn() -> None:
    for days in (2, DAYS):
        seen = [thing for day in range(days) for thing in of_the_day(range(7), TODAY + timedelta(days=day), days)]
        assert sorted(seen) == list(range(7))


@pytest.mark.parametrize("minor", MINORS)
def test_the_night_runs_all_scala_suites_of_a_minor(runner: Any, minor: str) -> None:
    suite = runner.scala_on(minor, "nightly", [])

    assert suite.command == ["java", f"-Dspark.minor={minor}", "-Xmx2g", "-jar", "sbt.jar", "jvm/testOnly * --"]
    assert suite.reports == ROOT / "jvm" / "target" / f"spark-{minor}" / "test-reports"


def test_each_name_of_scala_suites_names_some(runner: Any) -> None:
    """sbt runs what there is of several patterns, and says nothing of a pattern that fits none."""
    files = ROOT.glob("jvm/**/src/test/scala/**/*Suite.scala")
    suites = [".".join(file.with_suffix("").parts).rpartition(".scala.")[2] for file in files]
    patterns = [suite if suite.startswith("*") else f"io.sparkzorder.{suite}" for suite in runner.OF_OTHER_SPARKS]

    assert [pattern for pattern in patterns if not any(fnmatchcase(suite, pattern) for suite in suites)] == []


def test_no_two_sbt_run_side_by_side(runner: Any) -> None:
    lines = runner.lines_of(runner.suites_of("nightly", TODAY))

    assert [[suite.name for suite in line] for line in lines if len(line) > 1] == [["scala", "scala-4.0", "scala-4.1"]]
    assert sorted(suite.name for line in lines for suite in line) == sorted(
        suite.name for suite in runner.suites_of("nightly", TODAY)
    )


def test_what_a_spark_does_not_have_is_no_test_that_passed(runner: Any, tmp_path: Path) -> None:
    """As ScalaTest writes it of a test that has been cancelled by `assume`, without a number of such tests."""
    (tmp_path / "TEST-a.Suite.xml").write_text(
        '<testsuite errors="0" failures="1" name="a.Suite" tests="3"><testcase name="one"/>'
        '<testcase name="two"><skipped/></testcase>'
        '<testcase name="three"><failure message="no"/></testcase></testsuite>'
    )

    assert runner.counted(tmp_path) == runner.Count(passed=1, failed=1, skipped=1)


def test_what_is_daily_is_left_out_of_the_short_ring_alone(runner: Any) -> None:
    assert [ring for ring in RINGS if "DailyTest" in runner.scala_tests(ring)] == ["short"]
    others = [s for s in runner.suites_of("nightly", TODAY) if s.name.startswith("spark-")]
    assert others
    assert all("--ring=daily" in suite.command for suite in others)
