# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_zorder import ZOrderSessionError
from spark_zorder._libraries import DELTA, ICEBERG, asked_for
from spark_zorder._settings import (
    CATALOG,
    EXTENSION,
    EXTENSIONS,
    JARS,
    PACKAGES,
    conf_lines,
    entries,
    missing_settings,
)
from spark_zorder._versions import versions
from tests.conftest import DELTA_CATALOG, DELTA_EXTENSION, ICEBERG_EXTENSION, MINOR

JAR = "/p/jars/spark-zorder_4.2_2.13-0.1.0.jar"
NAMES = st.sampled_from(["a.X", "b.Y", EXTENSION, DELTA_EXTENSION, ICEBERG_EXTENSION])
FILES = st.sampled_from(
    [
        "/x.jar",
        "hdfs:///y.jar",
        JAR,
        "/d/delta-spark_4.2_2.13-4.4.0.jar",
        "/i/iceberg-spark-runtime-4.1_2.13-1.12.0.jar",
    ]
)
RUNTIME = f"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:{versions()['iceberg']}"
COORDINATES = st.sampled_from(["g:a:1", "io.delta:delta-spark_4.2_2.13:4.4.0", RUNTIME])


def joined(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(strategy, unique=True).map(",".join)


def missing(
    current: dict[str, str], *, delta: bool = False, iceberg: bool = False, extra: tuple[str, ...] = ()
) -> dict[str, str]:
    libraries = asked_for(delta=delta, iceberg=iceberg)
    return missing_settings(current, lambda: JAR, libraries, extra_packages=extra, spark="4.1" if iceberg else None)


def test_from_nothing() -> None:
    assert missing({}) == {JARS: JAR, EXTENSIONS: EXTENSION}
    assert missing({}, delta=True) == {
        JARS: JAR,
        PACKAGES: f"io.delta:delta-spark_{MINOR}_2.13:4.4.0",
        EXTENSIONS: f"{DELTA_EXTENSION},{EXTENSION}",
        CATALOG: DELTA_CATALOG,
    }


@given(
    st.fixed_dictionaries(
        {}, optional={JARS: joined(FILES), PACKAGES: joined(COORDINATES), EXTENSIONS: joined(NAMES), CATALOG: NAMES}
    ),
    st.booleans(),
    st.booleans(),
    st.lists(COORDINATES).map(tuple),
)
def test_keeps_all_in_order_and_is_idempotent(
    current: dict[str, str], delta: bool, iceberg: bool, extra: tuple[str, ...]
) -> None:
    result = {**current, **missing(current, delta=delta, iceberg=iceberg, extra=extra)}
    assert missing(result, delta=delta, iceberg=iceberg, extra=extra) == {}
    for key in (JARS, PACKAGES, EXTENSIONS):
        before, after = entries(current.get(key)), entries(result.get(key))
        assert [entry for entry in after if entry in before] == before
        assert len(after) == len(set(after))
    assert EXTENSION in entries(result[EXTENSIONS])
    assert JAR in entries(result[JARS])
    assert not delta or DELTA_EXTENSION in entries(result[EXTENSIONS])
    assert not iceberg or ICEBERG_EXTENSION in entries(result[EXTENSIONS])
    assert CATALOG not in current or result[CATALOG] == current[CATALOG]


@pytest.mark.parametrize(
    ("present", "result"),
    [
        ("", [DELTA_EXTENSION, EXTENSION]),
        ("a.X", ["a.X", DELTA_EXTENSION, EXTENSION]),
        (EXTENSION, [DELTA_EXTENSION, EXTENSION]),
        (f"{EXTENSION},a.X", [DELTA_EXTENSION, EXTENSION, "a.X"]),
        (DELTA_EXTENSION, [DELTA_EXTENSION, EXTENSION]),
        (f"{DELTA_EXTENSION}, a.X", [DELTA_EXTENSION, "a.X", EXTENSION]),
        (f"{EXTENSION},{DELTA_EXTENSION}", [EXTENSION, DELTA_EXTENSION]),
    ],
)
def test_delta_comes_first_unless_the_user_decided(present: str, result: list[str]) -> None:
    current = {EXTENSIONS: present}
    assert entries({**current, **missing(current, delta=True)}[EXTENSIONS]) == result


@pytest.mark.parametrize(
    "current",
    [
        {PACKAGES: "io.delta:delta-spark_4.2_2.13:4.3.0"},
        {PACKAGES: "g:a:1, io.delta:delta-spark_2.13:9.9.9"},
        {JARS: f"{JAR},/opt/delta-spark_4.2_2.13-4.4.0.jar"},
    ],
)
def test_delta_is_not_added_twice(current: dict[str, str]) -> None:
    assert PACKAGES not in missing(current, delta=True)


def test_delta_as_an_extra_package_counts() -> None:
    assert missing({}, delta=True, extra=("io.delta:delta-spark_4.2_2.13:4.4.1",))[PACKAGES].endswith("4.4.1")


@pytest.mark.parametrize(
    "current",
    [{JARS: "/other/spark-zorder_4.2_2.13-0.0.9.jar"}, {PACKAGES: "io.sparkzorder:spark-zorder_4.2_2.13:0.1.0"}],
)
def test_a_jar_of_ours_that_is_named_already_stays(current: dict[str, str]) -> None:
    assert JARS not in missing_settings(current, lambda: pytest.fail("no jar is needed"))


def test_iceberg_has_no_catalog_of_its_own() -> None:
    assert missing({}, iceberg=True) == {
        JARS: JAR,
        PACKAGES: RUNTIME,
        EXTENSIONS: f"{ICEBERG_EXTENSION},{EXTENSION}",
    }
    assert missing({}, delta=True, iceberg=True)[PACKAGES] == f"io.delta:delta-spark_4.1_2.13:4.4.0,{RUNTIME}"
    both = missing({CATALOG: "org.apache.iceberg.spark.SparkSessionCatalog"}, delta=True, iceberg=True)
    assert both[EXTENSIONS] == f"{DELTA_EXTENSION},{ICEBERG_EXTENSION},{EXTENSION}"
    assert CATALOG not in both


@pytest.mark.parametrize(
    ("present", "result"),
    [
        (EXTENSION, [ICEBERG_EXTENSION, EXTENSION]),
        (f"{EXTENSION},{ICEBERG_EXTENSION}", [EXTENSION, ICEBERG_EXTENSION]),
        (f"a.X,{ICEBERG_EXTENSION},{DELTA_EXTENSION}", ["a.X", ICEBERG_EXTENSION, DELTA_EXTENSION, EXTENSION]),
    ],
)
def test_iceberg_comes_before_ours_unless_the_user_decided(present: str, result: list[str]) -> None:
    current = {EXTENSIONS: present}
    assert entries({**current, **missing(current, iceberg=True)}[EXTENSIONS]) == result


@pytest.mark.parametrize(
    "current",
    [
        {PACKAGES: "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0"},
        {JARS: f"{JAR},/opt/iceberg-spark-runtime-4.1_2.13-1.12.0.jar"},
    ],
)
def test_iceberg_is_not_added_twice(current: dict[str, str]) -> None:
    assert PACKAGES not in missing(current, iceberg=True)


def test_packages_are_of_the_tested_versions() -> None:
    assert DELTA.package() == f"io.delta:delta-spark_{MINOR}_2.13:4.4.0"
    assert DELTA.package("4.1.3") == "io.delta:delta-spark_4.1_2.13:4.4.0"
    assert ICEBERG.package("4.1.3-vendor") == RUNTIME


@pytest.mark.parametrize("spark", ["3.5.6", "4.0.1", "4.2.0"])
def test_a_spark_that_iceberg_has_no_runtime_for(spark: str) -> None:
    with pytest.raises(
        ZOrderSessionError, match=rf"no runtime for Spark {spark}.* pip install 'pyspark~=4\.1\.0'"
    ) as caught:
        ICEBERG.package(spark)
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("ZORDER_ICEBERG_ON_OTHER_SPARK", "56038")


@given(st.dictionaries(st.sampled_from(["spark.a", "spark.b"]), st.text()))
def test_lines_are_shell_words(settings: dict[str, str]) -> None:
    expected = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    assert shlex.split(conf_lines(settings)) == expected


def test_plain_lines_carry_no_quotes() -> None:
    assert "'" not in conf_lines(missing({}, delta=True))
