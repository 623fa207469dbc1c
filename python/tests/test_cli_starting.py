# SPDX-License-Identifier: Apache-2.0

"""What sessions of the command line are started with, and where the output of their JVM goes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_zorder._cli.failures import CommandError
from spark_zorder._cli.parser import parse
from spark_zorder._cli.starting import _output_kept, _settings_of, _wants_delta, session_words, spark_for
from spark_zorder._cli.target import target_of
from spark_zorder._settings import EXTENSION, EXTENSIONS, JARS, PACKAGES

if TYPE_CHECKING:
    from pathlib import Path

KIND = "spark.sql.catalogImplementation"
QUIET = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}


def settings(*words: str, table: str = "/t") -> dict[str, str]:
    return _settings_of(parse(["layout", table, *words]), target_of(table), [])


def test_settings() -> None:
    assert settings() == QUIET
    assert settings("--debug")["spark.log.level"] == "WARN"
    assert settings("--no-progress") == {**QUIET, "spark.sql.zorder.progress": "off"}
    words = ["--master", "local[2]", "--driver-memory", "2g", "--jars", "/a.jar", "--packages", "g:a:1"]
    assert settings(*words, "-c", "spark.master=yarn", "-c", "spark.x=1", "-c", "spark.log.level=INFO") == {
        **QUIET,
        "spark.log.level": "INFO",
        "spark.x": "1",
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        JARS: "/a.jar",
        PACKAGES: "g:a:1",
    }
    assert settings("--remote", "sc://h", "-c", "spark.x=1") == {"spark.x": "1"}


def test_a_server_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://h")
    assert settings() == {}


def test_names_are_those_of_a_metastore(tmp_path: Path) -> None:
    assert settings(table="db.t") == {**QUIET, KIND: "hive"}
    assert settings("-c", f"{KIND}=in-memory", table="db.t")[KIND] == "in-memory"
    file = tmp_path / "p.conf"
    file.write_text(f"{KIND} in-memory\n")
    assert settings("--properties-file", str(file), table="db.t")[KIND] == "in-memory"
    by_path = "SELECT * FROM parquet.`/t`"
    assert KIND not in _settings_of(parse(["skipping", by_path]), None, [by_path])
    by_name = ["SELECT 1", by_path + " JOIN names USING (id)", by_path + " CROSS JOIN db.`my names`"]
    assert [_settings_of(parse(["skipping", q]), None, [q]).get(KIND) for q in by_name] == ["hive"] * 3


@pytest.mark.parametrize(
    ("words", "table", "queries", "wanted"),
    [
        ([], "/t", [], False),
        (["--delta"], "/t", [], True),
        (["--no-delta"], "delta.`/t`", [], False),
        ([], "delta.`/t`", [], True),
        ([], "db.t", ["SELECT * FROM Delta . `/t`"], True),
        ([], "db.t", ["SELECT * FROM parquet.`/t`"], False),
    ],
)
def test_whether_delta_is_wanted(words: list[str], table: str, queries: list[str], wanted: bool) -> None:
    assert _wants_delta(parse(["advise", table, *words]), target_of(table), queries) == wanted


def test_words_for_the_same_session() -> None:
    words = ["--master", "local[2]", "--conf", "spark.sql.catalog.lake=x.Y", "--iceberg", "--no-delta"]
    assert session_words(parse(["layout", "lake.db.t", *words])) == words
    assert session_words(parse(["layout", "/t"])) == []


class FakeSession:
    """A session that can only be stopped."""

    stopped = 0

    def stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What builders would have started sessions with, and the session."""
    found: list[dict[str, Any]] = []

    def start(builder: SparkSession.Builder) -> FakeSession:
        found.append({**builder._options, "session": (session := FakeSession())})
        return session

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", start)
    monkeypatch.setattr(SparkSession, "builder", SparkSession.Builder())
    return found


def test_a_session_is_started_and_stopped(
    monkeypatch: pytest.MonkeyPatch, started: list[dict[str, Any]], jar: str, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--name n pyspark-shell")
    file = tmp_path / "my conf"
    file.write_text("spark.sql.extensions a.X\n")
    with (  # noqa: PT012
        pytest.raises(KeyboardInterrupt),
        spark_for(parse(["layout", "/t", "--properties-file", str(file)]), target_of("/t")),
    ):
        assert started[0]["session"].stopped == 0
        raise KeyboardInterrupt
    (options,) = started
    assert options["session"].stopped == 1
    assert options[EXTENSIONS] == f"a.X,{EXTENSION}"
    # Nothing is left where the user is.
    assert not os.path.exists(options["spark.sql.warehouse.dir"])  # noqa: PTH110
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == (
        f"--name n --properties-file '{file}' --conf {JARS}={jar} pyspark-shell"
    )


def test_the_command_line_wins_over_the_environment(
    monkeypatch: pytest.MonkeyPatch, started: list[dict[str, Any]], jar: str
) -> None:
    old = "--jars /old.jar --master local[1] --properties-file /old.conf --conf spark.a=old --conf spark.b=old"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{old} pyspark-shell")
    words = ["--jars", "/new.jar", "--master", "local[2]", "--conf", "spark.a=new", "--properties-file", "/new.conf"]
    with spark_for(parse(["layout", "/t", *words]), target_of("/t")):
        pass
    (options,) = started
    assert (options["spark.master"], options["spark.a"]) == ("local[2]", "new")
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == (
        f"--conf spark.b=old --properties-file /new.conf --conf {JARS}=/new.jar,{jar} pyspark-shell"
    )


def test_what_a_jvm_writes_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    with _output_kept(parse(["layout", "/t"])):
        os.write(1, b"stdout of the JVM\n")
        os.write(2, b"stderr of the JVM\n")
    os.write(1, b"answer\n")
    assert tuple(capfd.readouterr()) == ("answer\n", "")
    with _output_kept(parse(["layout", "/t", "--debug"])):
        os.write(1, b"stdout of the JVM\n")
        os.write(2, b"stderr of the JVM\n")
    assert tuple(capfd.readouterr()) == ("", "stdout of the JVM\nstderr of the JVM\n")


def test_a_jvm_that_does_not_start(capfd: pytest.CaptureFixture[str]) -> None:
    error = PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
    with pytest.raises(CommandError, match="Java 17") as caught, _output_kept(parse(["layout", "/t"])):  # noqa: PT012
        os.write(2, b"spark-class: line 71: java: command not found\n")
        raise error
    assert "It wrote last:\n  spark-class: line 71: java: command not found\n" in str(caught.value)
    with pytest.raises(PySparkRuntimeError), _output_kept(parse(["layout", "/t", "--debug"])):
        raise error
    assert capfd.readouterr().out == ""
