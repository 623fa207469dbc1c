# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
import shlex
import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_zorder import ZOrderSessionError, configure_spark_with_zorder, require_extension, spark_conf
from spark_zorder._inherited import SUBMIT_ARGS, submit_args
from spark_zorder._java import RunningJava
from spark_zorder._settings import CATALOG, EXTENSION, EXTENSIONS, JARS, PACKAGES
from spark_zorder._versions import versions
from tests.conftest import (
    DELTA_CATALOG,
    DELTA_EXTENSION,
    ICEBERG_EXTENSION,
    JAR_NAME,
    MINOR,
    PROJECT,
    FakeSpark,
)

if TYPE_CHECKING:
    from pathlib import Path

DELTA = f"io.delta:delta-spark_{MINOR}_2.13:4.4.0"


def new_builder(**options: str) -> SparkSession.Builder:
    builder = SparkSession.Builder()
    for key, value in options.items():
        builder.config(key.replace("__", "."), value)
    return builder


def options_of(builder: SparkSession.Builder) -> dict[str, Any]:
    return dict(builder._options)


def submitted() -> dict[str, str]:
    """What the JVM of the builder would be started with."""
    return submit_args(os.environ.get(SUBMIT_ARGS, ""))


def run_with(monkeypatch: pytest.MonkeyPatch, fake: FakeSpark) -> None:
    monkeypatch.setattr(SparkSession, "active", fake.as_session)


def all_of(builder: SparkSession.Builder) -> dict[str, Any]:
    """The settings that a session of the builder would have; no key stands in two places."""
    options, words = options_of(builder), submitted()
    assert options.keys().isdisjoint(words)
    return {**options, **words}


def test_from_nothing(jar: str) -> None:
    builder = new_builder()
    assert configure_spark_with_zorder(builder) is builder
    assert all_of(builder) == {JARS: jar, EXTENSIONS: EXTENSION} == spark_conf()


def test_spark_draws_no_lines_into_the_cells_of_a_notebook(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    assert all_of(configure_spark_with_zorder(new_builder()))["spark.ui.showConsoleProgress"] == "false"
    asked = configure_spark_with_zorder(new_builder(spark__ui__showConsoleProgress="true"))
    assert all_of(asked) == {JARS: jar, EXTENSIONS: EXTENSION, "spark.ui.showConsoleProgress": "true"}


# PySpark sets a builder's options on top of what SparkSubmit made of them: its jars would take the place of all others.
def test_jars_and_packages_are_given_to_the_jvm_and_not_to_the_builder(jar: str) -> None:
    builder = configure_spark_with_zorder(new_builder(), delta=True, extra_packages=["g:a:1"])
    assert options_of(builder) == {EXTENSIONS: f"{DELTA_EXTENSION},{EXTENSION}", CATALOG: DELTA_CATALOG}
    assert submitted() == {JARS: jar, PACKAGES: f"g:a:1,{DELTA}"}


def test_jars_of_the_builder_go_with_them(jar: str) -> None:
    builder = new_builder(spark__jars="/x.jar,/y.jar", spark__jars__packages="g:a:1")
    configure_spark_with_zorder(builder)
    assert options_of(builder) == {EXTENSIONS: EXTENSION}
    assert submitted() == {JARS: f"/x.jar,/y.jar,{jar}", PACKAGES: "g:a:1"}


def test_twice_changes_nothing(jar: str) -> None:
    builder = configure_spark_with_zorder(new_builder(spark__jars="/x.jar"), delta=True)
    once = all_of(builder)
    assert once[JARS] == f"/x.jar,{jar}"
    assert all_of(configure_spark_with_zorder(builder, delta=True)) == once
    assert all_of(configure_spark_with_zorder(builder)) == once
    assert all_of(configure_spark_with_zorder(new_builder(spark__jars="/x.jar"), delta=True)) == once


def test_delta_can_be_added_later(jar: str) -> None:
    later = configure_spark_with_zorder(configure_spark_with_zorder(new_builder()), delta=True)
    assert all_of(later) == spark_conf(delta=True)
    assert all_of(later)[JARS] == jar


@pytest.mark.usefixtures("jar")
def test_keeps_what_is_not_ours() -> None:
    mine = new_builder(spark__app__name="mine", spark__sql__extensions="a.X", spark__jars__packages="g:a:1")
    options = all_of(configure_spark_with_zorder(mine))
    assert options["spark.app.name"] == "mine"
    assert options[EXTENSIONS] == f"a.X,{EXTENSION}"
    assert options[PACKAGES] == "g:a:1"
    assert CATALOG not in options


@pytest.mark.usefixtures("jar")
def test_another_catalog_stays_with_a_warning() -> None:
    mine = new_builder(spark__sql__catalog__spark_catalog="org.other.Catalog")
    with pytest.warns(UserWarning, match=r"spark_catalog is org\.other\.Catalog and stays so") as caught:
        configure_spark_with_zorder(mine, delta=True)
    assert caught[0].filename == __file__
    assert options_of(mine)[CATALOG] == "org.other.Catalog"


@pytest.fixture
def spark_4_1(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The jar for the Spark that Iceberg has a runtime for, which SPARK_HOME names, whichever PySpark is installed."""
    home = tmp_path / "spark-4.1"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "spark-core_2.13-4.1.4.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    jar = package / "jars" / f"spark-zorder_4.1_2.13-{PROJECT}.jar"
    jar.touch()
    return str(jar.resolve())


RUNTIME = f"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:{versions()['iceberg']}"


def test_iceberg(spark_4_1: str) -> None:
    once = all_of(configure_spark_with_zorder(new_builder(), iceberg=True))
    assert once == {JARS: spark_4_1, PACKAGES: RUNTIME, EXTENSIONS: f"{ICEBERG_EXTENSION},{EXTENSION}"}
    assert once == spark_conf(iceberg=True) == spark_conf(iceberg=True, spark="4.1.2")


def test_iceberg_beside_delta_and_what_is_the_users(spark_4_1: str) -> None:
    mine = {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "hadoop"}
    builder = new_builder(**mine, spark__sql__extensions="a.X", spark__jars__packages="g:a:1", spark__jars="/x.jar")
    assert all_of(configure_spark_with_zorder(builder, delta=True, iceberg=True)) == {
        **mine,
        JARS: f"/x.jar,{spark_4_1}",
        PACKAGES: f"g:a:1,io.delta:delta-spark_4.1_2.13:4.4.0,{RUNTIME}",
        EXTENSIONS: f"a.X,{DELTA_EXTENSION},{ICEBERG_EXTENSION},{EXTENSION}",
        CATALOG: DELTA_CATALOG,
    }
    once = all_of(builder)
    assert all_of(configure_spark_with_zorder(builder, iceberg=True, delta=True)) == once


@pytest.mark.usefixtures("spark_4_1")
@pytest.mark.parametrize(
    ("entry", "advice"),
    [
        ("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0", f"is another Iceberg than .* Take {RUNTIME}"),
        ("org.apache.iceberg:iceberg-spark-runtime-3.5_2.13:1.12.0", f"is for Spark 3.5, .* Take {RUNTIME}"),
    ],
)
def test_another_iceberg_stays_with_a_warning(entry: str, advice: str) -> None:
    mine = new_builder(spark__jars__packages=entry)
    with pytest.warns(UserWarning, match=advice) as caught:
        configure_spark_with_zorder(mine, iceberg=True)
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert submitted()[PACKAGES] == entry


@pytest.mark.usefixtures("spark_4_1")
def test_another_patch_of_iceberg_is_no_other_iceberg() -> None:
    named = RUNTIME.rsplit(".", 1)[0] + ".9"
    configure_spark_with_zorder(new_builder(spark__jars__packages=named), iceberg=True)
    assert submitted()[PACKAGES] == named


@pytest.mark.parametrize("minor", ["4.0", "4.2"])
def test_a_spark_that_iceberg_has_no_runtime_for(
    package: Path, spark_4_1: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minor: str
) -> None:
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / f"spark-core_2.13-{minor}.1.jar").touch()
    (package / "jars" / f"spark-zorder_{minor}_2.13-{PROJECT}.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    # Also where one is named: it is of another release.
    for named in ("", f"org.apache.iceberg:iceberg-spark-runtime-{minor}_2.13:1.11.0"):
        builder = new_builder(spark__jars__packages=named)
        with pytest.raises(
            ZOrderSessionError, match=rf"Iceberg tables need Spark 4\.1 .* for Spark {minor}\.1"
        ) as caught:
            configure_spark_with_zorder(builder, iceberg=True)
        assert caught.value.getCondition() == "ZORDER_ICEBERG_ON_OTHER_SPARK"
        assert options_of(builder) == {PACKAGES: named}
        assert SUBMIT_ARGS not in os.environ
    with pytest.raises(ZOrderSessionError, match="start without Iceberg"):
        spark_conf(iceberg=True)
    assert spark_conf(iceberg=True, spark="4.1")[JARS] == spark_4_1
    # Of their own accord Icebergs of that Spark are nobody's business here, and those of another are.
    assert submitted_with(f"org.apache.iceberg:iceberg-spark-runtime-{minor}_2.13:1.11.0") == []
    (text,) = submitted_with(RUNTIME)
    assert text.endswith(f"is for Spark 4.1, and Spark {minor}.1 starts with it. {NONE_HERE}.")


NONE_HERE = f"Take it out: there is none for this Spark in version {versions()['iceberg']}"


def submitted_with(package: str) -> list[str]:
    """The warnings about a package of the user's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        configure_spark_with_zorder(new_builder(spark__jars__packages=package))
    return [str(warning.message) for warning in caught]


def test_a_session_without_iceberg(spark_4_1: str) -> None:
    fake = FakeSpark({EXTENSIONS: EXTENSION}, {"interleave_bits"})
    fake.version = "4.1.4"
    with pytest.raises(ZOrderSessionError, match=rf"--conf spark\.jars\.packages={RUNTIME}") as caught:
        require_extension(fake.as_session(), iceberg=True)
    assert caught.value.getCondition() == "ZORDER_ICEBERG_NOT_LOADED"
    assert spark_4_1 in str(caught.value)
    fake.settings[EXTENSIONS] = f"{EXTENSION},{ICEBERG_EXTENSION}"
    require_extension(fake.as_session(), iceberg=True)
    # Iceberg of another Spark does not hide what else is wrong.
    fake.version, fake.functions = f"{MINOR}.0", set()
    with pytest.raises(ZOrderSessionError) as caught:
        require_extension(fake.as_session())
    assert caught.value.getCondition() in ("ZORDER_EXTENSION_NOT_ON_CLASS_PATH", "ZORDER_OTHER_SPARK")


@pytest.mark.usefixtures("jar")
@pytest.mark.parametrize(
    ("key", "entry", "advice"),
    [
        (JARS, "/x/spark-zorder_3.9_2.13-0.1.0.jar", "Take it out"),
        (PACKAGES, "io.sparkzorder:spark-zorder_3.9_2.13:0.1.0", "Take it out"),
        (PACKAGES, "io.delta:delta-spark_3.9_2.13:4.4.0", f"Take {DELTA}"),
    ],
)
def test_what_is_for_another_spark_stays_with_a_warning(key: str, entry: str, advice: str) -> None:
    mine = new_builder(**{key: entry})
    with pytest.warns(UserWarning, match=rf"{entry} is for Spark 3\.9, and Spark .* {advice}") as caught:
        configure_spark_with_zorder(mine)
    assert caught[0].filename == __file__
    assert entry in submitted()[key].split(",")


def test_adds_to_spark_defaults(jar: str, tmp_path: Path) -> None:
    lines = f"spark.sql.extensions {DELTA_EXTENSION}\nspark.jars /d.jar\nspark.jars.packages {DELTA}\n"
    (tmp_path / "conf" / "spark-defaults.conf").write_text(lines)
    assert all_of(configure_spark_with_zorder(new_builder(), delta=True)) == {
        JARS: f"/d.jar,{jar}",
        EXTENSIONS: f"{DELTA_EXTENSION},{EXTENSION}",
        CATALOG: DELTA_CATALOG,
    }


def test_adds_to_submit_args(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args = f"--packages {DELTA} --conf {EXTENSIONS}={DELTA_EXTENSION} --verbose pyspark-shell"
    monkeypatch.setenv(SUBMIT_ARGS, args)
    options = options_of(configure_spark_with_zorder(new_builder(), delta=True))
    assert options == {EXTENSIONS: f"{DELTA_EXTENSION},{EXTENSION}", CATALOG: DELTA_CATALOG}
    assert os.environ[SUBMIT_ARGS] == (
        f"--packages {DELTA} --conf {EXTENSIONS}={DELTA_EXTENSION} --verbose --conf {JARS}={jar} pyspark-shell"
    )


def test_the_builder_wins_over_submit_args_where_spark_lets_it(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args = f"--conf {EXTENSIONS}=from.Args --jars {jar} pyspark-shell"
    monkeypatch.setenv(SUBMIT_ARGS, args)
    options = options_of(configure_spark_with_zorder(new_builder(spark__sql__extensions="from.Builder")))
    assert options == {EXTENSIONS: f"from.Builder,{EXTENSION}"}
    assert os.environ[SUBMIT_ARGS] == args


@pytest.mark.parametrize(
    ("args", "key", "value"),
    [
        ("--jars /x.jar pyspark-shell", JARS, "/b.jar,/x.jar,{jar}"),
        ("--conf spark.jars=/x.jar pyspark-shell", JARS, "/b.jar,/x.jar,{jar}"),
        ("--jars /b.jar pyspark-shell", JARS, "/b.jar,{jar}"),
        ("--packages g:a:1 pyspark-shell", PACKAGES, "g:b:1,g:a:1," + DELTA),
    ],
)
def test_jars_of_submit_args_and_of_the_builder_are_kept(
    jar: str, monkeypatch: pytest.MonkeyPatch, args: str, key: str, value: str
) -> None:
    monkeypatch.setenv(SUBMIT_ARGS, args)
    builder = new_builder(spark__jars="/b.jar", spark__jars__packages="g:b:1")
    configure_spark_with_zorder(builder, delta=True)
    assert options_of(builder).keys() == {EXTENSIONS, CATALOG}
    assert submitted()[key] == value.format(jar=jar)


@pytest.mark.usefixtures("package")
def test_without_a_jar_the_builder_stays_as_it_was() -> None:
    builder = new_builder()
    with pytest.raises(ZOrderSessionError) as caught:
        configure_spark_with_zorder(builder)
    assert caught.value.getCondition() == "ZORDER_JAR_NOT_BUNDLED"
    assert options_of(builder) == {}


@pytest.mark.parametrize("url", ["sc://host:15002", "sc://localhost"])
def test_a_server_has_its_own_jars(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    builder = SparkSession.Builder().remote(url)
    assert options_of(configure_spark_with_zorder(builder, delta=True)) == {"spark.remote": url}
    monkeypatch.setenv("SPARK_REMOTE", url)
    assert options_of(configure_spark_with_zorder(new_builder(), delta=True)) == {}


def test_a_builder_of_the_connect_module_has_a_server() -> None:
    pytest.importorskip("grpc")
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    builder: Any = ConnectSession.Builder()
    assert options_of(configure_spark_with_zorder(builder)) == {}


def test_a_local_server_gets_the_settings_by_its_command_line(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars /x.jar --verbose pyspark-shell")
    builder = SparkSession.Builder().remote("local[2]")
    assert options_of(configure_spark_with_zorder(builder)) == {"spark.remote": "local[2]"}
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == (
        f"--verbose --conf {JARS}=/x.jar,{jar} --conf {EXTENSIONS}={EXTENSION} pyspark-shell"
    )
    # Again, and with Delta: what stands there grows.
    assert options_of(configure_spark_with_zorder(builder, delta=True)) == {"spark.remote": "local[2]"}
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == (
        f"--verbose --conf {JARS}=/x.jar,{jar} --conf {PACKAGES}={DELTA} "
        f"--conf {EXTENSIONS}={DELTA_EXTENSION},{EXTENSION} --conf {CATALOG}={DELTA_CATALOG} pyspark-shell"
    )
    once = os.environ["PYSPARK_SUBMIT_ARGS"]
    configure_spark_with_zorder(builder, delta=True)
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == once


def test_a_wrong_package_of_a_builder_does_not_stay_for_the_next(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SUBMIT_ARGS, "--packages g:mine:1 pyspark-shell")
    builder = SparkSession.builder.config(JARS, "/wrong.jar")
    configure_spark_with_zorder(builder, extra_packages=["g:lib:1.0"])
    wrong = os.environ[SUBMIT_ARGS]
    assert submit_args(wrong)[PACKAGES] == "g:mine:1,g:lib:1.0"
    # A second call for the same builder finds what the first one has moved there.
    configure_spark_with_zorder(builder, extra_packages=["g:lib:1.0"])
    assert os.environ[SUBMIT_ARGS] == wrong

    configure_spark_with_zorder(SparkSession.builder, extra_packages=["g:lib:2.0"])

    pinned = submit_args(os.environ[SUBMIT_ARGS])
    assert (pinned[PACKAGES], pinned[JARS]) == ("g:mine:1,g:lib:2.0", jar)


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        ({}, {"SPARK_REMOTE": "local"}),
        ({"spark__api__mode": "connect", "spark__master": "local[2]"}, {}),
        ({}, {"SPARK_API_MODE": "connect"}),
    ],
)
def test_ways_to_a_local_server(
    jar: str, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], environment: dict[str, str]
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    builder = new_builder(**options)
    before = options_of(builder)
    assert options_of(configure_spark_with_zorder(builder)) == before
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == (f"--conf {JARS}={jar} --conf {EXTENSIONS}={EXTENSION} pyspark-shell")


def test_what_the_builder_of_a_local_server_has_grows_in_it(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    builder = new_builder(spark__remote="local", spark__sql__extensions="a.X", spark__jars="/x.jar")
    assert options_of(configure_spark_with_zorder(builder)) == {
        "spark.remote": "local",
        EXTENSIONS: f"a.X,{EXTENSION}",
    }
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == f"--conf {JARS}=/x.jar,{jar} pyspark-shell"


def test_under_spark_submit_the_command_line_decides(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "12345")
    builder = new_builder()
    with pytest.warns(UserWarning, match="under spark-submit") as caught:
        configure_spark_with_zorder(builder, delta=True)
    assert f"--conf {JARS}={jar}" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert options_of(builder) == {}
    own = new_builder(spark__sql__extensions="a.X")
    with pytest.warns(UserWarning, match="under spark-submit"):
        configure_spark_with_zorder(own)
    assert options_of(own) == {EXTENSIONS: f"a.X,{EXTENSION}"}


def test_a_running_session_with_the_extension(fake: FakeSpark, monkeypatch: pytest.MonkeyPatch) -> None:
    run_with(monkeypatch, fake)
    assert options_of(configure_spark_with_zorder(new_builder(), delta=True)) == {}


def test_a_running_session_without_it(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_with(monkeypatch, FakeSpark({JARS: "/a b.jar", EXTENSIONS: "a.X"}, set()))
    with pytest.raises(ZOrderSessionError) as caught:
        configure_spark_with_zorder(new_builder(), delta=True)
    error = caught.value
    assert error.getCondition() == "ZORDER_EXTENSION_NOT_LOADED"
    assert error.getSqlState() == "55000"
    assert isinstance(error, PySparkRuntimeError)
    parameters = error.getMessageParameters() or {}
    assert parameters["settings"] in str(error)
    assert shlex.split(parameters["settings"]) == [
        "--conf",
        f"{JARS}=/a b.jar,{jar}",
        "--conf",
        f"{PACKAGES}={DELTA}",
        "--conf",
        f"{EXTENSIONS}=a.X,{DELTA_EXTENSION},{EXTENSION}",
        "--conf",
        f"{CATALOG}={DELTA_CATALOG}",
    ]


def test_an_extension_that_spark_could_not_load(jar: str) -> None:
    fake = FakeSpark({JARS: jar, EXTENSIONS: EXTENSION}, set())
    with pytest.raises(ZOrderSessionError) as caught:
        require_extension(fake.as_session())
    assert caught.value.getCondition() == "ZORDER_EXTENSION_NOT_ON_CLASS_PATH"
    assert (caught.value.getMessageParameters() or {})["settings"] == (
        f"--conf {JARS}={jar}\n--conf {EXTENSIONS}={EXTENSION}"
    )


@pytest.mark.usefixtures("jar")
def test_a_session_without_delta() -> None:
    fake = FakeSpark({EXTENSIONS: EXTENSION}, {"interleave_bits"})
    require_extension(fake.as_session())
    with pytest.raises(ZOrderSessionError, match=r"--conf spark\.jars\.packages=io\.delta:delta-spark_") as caught:
        require_extension(fake.as_session(), delta=True)
    assert caught.value.getCondition() == "ZORDER_DELTA_NOT_LOADED"


def test_an_extension_that_came_another_way_counts() -> None:
    require_extension(FakeSpark({}, {"interleave_bits"}).as_session())


@pytest.mark.usefixtures("package")
def test_a_missing_jar_does_not_hide_the_error() -> None:
    with pytest.raises(ZOrderSessionError, match=rf"/path/to/{JAR_NAME}") as caught:
        require_extension(FakeSpark({}, set()).as_session())
    assert caught.value.getCondition() == "ZORDER_EXTENSION_NOT_LOADED"


class FakeJava:
    """A running JVM that has settings and classes."""

    def __init__(self, conf: dict[str, str], *classes: str) -> None:
        self.conf = conf
        self.classes = classes

    def settings(self) -> dict[str, str]:
        return dict(self.conf)

    def can_load(self, name: str) -> bool:
        return name in self.classes


def start_jvm(monkeypatch: pytest.MonkeyPatch, conf: dict[str, str], *classes: str) -> None:
    monkeypatch.setattr(RunningJava, "of_this_process", lambda: FakeJava(conf, *classes))


def test_a_second_session_in_the_same_jvm(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    jars = f"file:///x.jar,file://{jar},file:///ivy/io.delta_delta-spark_{MINOR}_2.13-4.4.0.jar"
    conf = {**spark_conf(delta=True), JARS: jars}
    start_jvm(monkeypatch, conf, EXTENSION, DELTA_EXTENSION)
    assert all_of(configure_spark_with_zorder(new_builder(), delta=True)) == {}
    # A builder's jars would take the place of the JVM's.
    again = configure_spark_with_zorder(new_builder(spark__jars="file:///x.jar,/new.jar"), delta=True)
    assert options_of(again) == {JARS: f"{jars},/new.jar"}


def test_a_jvm_that_has_the_classes_by_other_means(jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start_jvm(monkeypatch, {JARS: "file:///x.jar"}, EXTENSION, DELTA_EXTENSION)
    assert all_of(configure_spark_with_zorder(new_builder(), delta=True)) == {
        JARS: f"file:///x.jar,{jar}",
        EXTENSIONS: f"{DELTA_EXTENSION},{EXTENSION}",
        CATALOG: DELTA_CATALOG,
    }


def test_a_spark_that_has_a_jar_of_its_own(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As in an image of a Spark for which this wheel has no jar.
    (package / "jars" / JAR_NAME.replace(MINOR, "3.9")).touch()
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / f"spark-core_2.13-{MINOR}.0.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    with pytest.raises(ZOrderSessionError, match="no jar for Spark"):
        configure_spark_with_zorder(new_builder())
    (home / "jars" / JAR_NAME).touch()
    assert all_of(configure_spark_with_zorder(new_builder())) == {EXTENSIONS: EXTENSION}


@pytest.mark.parametrize(
    ("classes", "delta", "packages", "missing"),
    [
        ((), False, [], EXTENSION),
        ((EXTENSION,), True, [], DELTA_EXTENSION),
        ((EXTENSION, DELTA_EXTENSION), True, ["g:a:1", "g:b:1"], "g:b:1"),
    ],
)
def test_a_jvm_that_was_started_without_the_jars(
    jar: str,
    monkeypatch: pytest.MonkeyPatch,
    classes: tuple[str, ...],
    delta: bool,
    packages: list[str],
    missing: str,
) -> None:
    monkeypatch.setenv(SUBMIT_ARGS, "--packages g:a:1 pyspark-shell")
    start_jvm(monkeypatch, {JARS: "file:///x.jar"}, *classes)
    builder = new_builder(spark__app__name="mine")
    with pytest.raises(ZOrderSessionError) as caught:
        configure_spark_with_zorder(builder, delta=delta, extra_packages=packages)
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("ZORDER_JVM_WITHOUT_JARS", "55000")
    parameters = caught.value.getMessageParameters() or {}
    assert parameters["missing"] == missing
    settings = shlex.split(parameters["settings"])
    assert settings[:2] == ["--conf", f"{JARS}=file:///x.jar,{jar}"]
    wanted = ["g:a:1", *packages[1:], *([DELTA] if delta else [])]
    assert settings[2:4] == ["--conf", f"{PACKAGES}={','.join(wanted)}"]
    assert options_of(builder) == {"spark.app.name": "mine"}


def test_a_jvm_that_was_started_without_iceberg(spark_4_1: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start_jvm(monkeypatch, {JARS: f"file://{spark_4_1}"}, EXTENSION)
    with pytest.raises(ZOrderSessionError) as caught:
        configure_spark_with_zorder(new_builder(), iceberg=True)
    assert caught.value.getCondition() == "ZORDER_JVM_WITHOUT_JARS"
    parameters = caught.value.getMessageParameters() or {}
    assert parameters["missing"] == ICEBERG_EXTENSION
    assert f"--conf {PACKAGES}={RUNTIME}" in parameters["settings"].splitlines()


def test_other_errors_of_pyspark_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> SparkSession:
        raise PySparkRuntimeError(message="broken", errorClass="OTHER", messageParameters={})

    monkeypatch.setattr(SparkSession, "active", fail)
    with pytest.raises(PySparkRuntimeError, match="broken"):
        configure_spark_with_zorder(new_builder())
