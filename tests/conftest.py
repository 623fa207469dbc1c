# SPDX-License-Identifier: Apache-2.0

"""One session for all tests of a run: classic, or Connect with `--session=connect`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

from launching import INTERPRETED, PATIENT_COMPILER, QUICK_COMPILER, delta_jars, small, with_shared_classes
from spark_zorder import configure_spark_with_zorder
from turns import RINGS, left_out_of, of_the_day, today

if TYPE_CHECKING:
    from collections.abc import Iterator


HERE = Path(__file__).parent
ON_CLASSIC_SESSIONS = ("classic", "docs")
# The short ring has no part of them.
LONG_FOLDERS = ("parity", "stores")
# What the tests of a file have in common, such as drivers and tables, takes longer there than they do.
IN_TURN_BY_FILE = ("launch", "cluster")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--ring", choices=RINGS, default="nightly", help="all tests, or those without a longer ring's mark"
    )
    parser.addoption("--session", choices=["classic", "connect"], default="classic", help="kind of Spark session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marks = left_out_of(config.getoption("--ring"))
    left_out = {item for item in items if any(item.get_closest_marker(mark) for mark in marks)}
    if config.getoption("--ring") == "long":
        taking_turns = [item for item in items if item not in left_out and is_long_test(item)]
        of_today = of_the_day(sorted({turn_of(item) for item in taking_turns}), today())
        left_out |= {item for item in taking_turns if turn_of(item) not in of_today}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        for folder in ON_CLASSIC_SESSIONS:
            if HERE / folder in item.path.parents:
                item.add_marker(folder)


def is_long_test(item: pytest.Item) -> bool:
    """Whether the short ring leaves it out."""
    if HERE / "sessions" in item.path.parents:
        return item.get_closest_marker("statement") is None
    return item.get_closest_marker("long") is not None or any(HERE / f in item.path.parents for f in LONG_FOLDERS)


def turn_of(item: pytest.Item) -> str:
    """What takes turns: the test, or all of its file that are long."""
    by_file = any(HERE / folder in item.path.parents for folder in IN_TURN_BY_FILE)
    return str(item.path) if by_file else item.nodeid


@pytest.fixture(scope="session")
def ring(request: pytest.FixtureRequest) -> str:
    """`short`, `daily` (all that runs each day), `long` or `nightly`."""
    return str(request.config.getoption("--ring"))


@pytest.fixture(scope="session")
def is_long(ring: str) -> bool:
    """Whether this run has the time for many random cases."""
    return ring in ("long", "nightly")


@pytest.fixture(scope="session")
def is_nightly(ring: str) -> bool:
    """Whether this run has the time for what is long and has never found a defect."""
    return ring == "nightly"


@pytest.fixture(scope="session")
def session_settings() -> dict[str, str]:
    """What a folder's tests want beside the usual settings."""
    return {}


@pytest.fixture(scope="session")
def spark(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    session_settings: dict[str, str],
) -> Iterator[SparkSession]:
    """Delta and, listed after it, our extension, as `configure_spark_with_zorder` sets them up."""
    folder = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder
    compiler = QUICK_COMPILER if request.config.getoption("--ring") in ("short", "daily") else PATIENT_COMPILER
    own = {"spark.jars": ",".join(delta_jars()), "spark.ui.enabled": "true", "spark.ui.port": "0"}
    conf = small(folder, compiler) | own
    conf = with_shared_classes(conf | session_settings)
    if request.config.getoption("--session") == "connect":
        builder = builder.remote(conf.pop("spark.master"))
        # The same statements run with generated code in a classic session.
        conf |= INTERPRETED
        # PySpark then takes a free port in place of its fixed one, so that two runs on a machine do not meet.
        os.environ["SPARK_TESTING"] = "1"
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder, delta=True).getOrCreate()
    yield session
    session.stop()
