# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F

import spark_zorder
from spark_zorder import ZOrderSessionError, ZOrderTypeError, functions
from spark_zorder._cli import main
from spark_zorder._jars import jar_path, minor_of
from spark_zorder._needs_pyspark import _is_command, fault
from spark_zorder._versions import parse_properties, versions
from spark_zorder.errors import _CONDITIONS
from tests.conftest import JAR_NAME, MINOR

if TYPE_CHECKING:
    from types import ModuleType

SOURCES = Path(__file__).parents[1] / "src" / "spark_zorder"
MODULES = [
    importlib.import_module(module.name) for module in pkgutil.walk_packages(spark_zorder.__path__, "spark_zorder.")
]


def test_what_is_exported() -> None:
    assert all(hasattr(spark_zorder, name) for name in spark_zorder.__all__)
    assert spark_zorder.__version__ == versions()["project"]


def test_no_modules_import_each_other_in_a_circle() -> None:
    names = {module.__name__ for module in MODULES}
    imports = {name: _imports(sys.modules[name], names) for name in names}
    while ends := [name for name, found in imports.items() if not found & set(imports)]:
        for name in ends:
            del imports[name]
    assert imports == {}


def _imports(module: ModuleType, names: set[str]) -> set[str]:
    """The modules of ours that a module imports when it runs, in functions too."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names} & names
            # A package is imported for its parts, or for what it defines itself.
            found |= parts or {node.module} & names
    return found


# `_java.py` is asked only where a builder is about to start a JVM in this process.
@pytest.mark.parametrize(
    "path", [p for p in sorted(SOURCES.rglob("*.py")) if p.name != "_java.py"], ids=lambda path: path.name
)
def test_nothing_needs_a_classic_session(path: Path) -> None:
    assert not re.search(r"_jvm|_sc\b|_jdf|_jsparkSession|sparkContext", path.read_text())


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_conditions_have_an_sql_state() -> None:
    for name, condition in _CONDITIONS.items():
        assert name.startswith("ZORDER_")
        assert re.fullmatch(r"[0-9A-Z]{5}", condition.sql_state)


def test_jar_path(package: Path, jar: str) -> None:
    assert jar_path() == jar
    # A jar of somebody else counts for nothing.
    (package / "jars" / "other.jar").touch()
    assert jar_path() == jar
    Path(jar).unlink()
    with pytest.raises(ZOrderSessionError, match="holds no jar"):
        jar_path()


@pytest.mark.parametrize(
    ("version", "minor"),
    [("4.2.0", "4.2"), ("4.1", "4.1"), ("4.10.2", "4.10"), ("4.0.1.dev3", "4.0"), ("4.2.0-amzn-1", "4.2"), ("x", "x")],
)
def test_minor(version: str, minor: str) -> None:
    assert minor_of(version) == minor


def test_the_jar_that_fits(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for minor in ("4.0", "4.2", "4.10"):
        (package / "jars" / JAR_NAME.replace(MINOR, minor)).touch()
    assert [Path(jar_path(spark)).name.split("_")[1] for spark in ("4.0.3", "4.2", "4.10.1")] == ["4.0", "4.2", "4.10"]
    # A Spark by SPARK_HOME is what PySpark starts.
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "spark-core_2.13-4.0.2.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    assert Path(jar_path()).name == JAR_NAME.replace(MINOR, "4.0")
    assert spark_zorder.spark_conf(delta=True)["spark.jars.packages"].startswith("io.delta:delta-spark_4.0_2.13:")
    assert spark_zorder.spark_conf(spark="4.2.1")["spark.jars"].endswith(JAR_NAME.replace(MINOR, "4.2"))


@pytest.mark.parametrize("version", ["3.5.6", "4.1.0", "4.3.0"])
def test_a_spark_that_no_jar_is_for(package: Path, version: str) -> None:
    (package / "jars" / JAR_NAME.replace(MINOR, "4.2")).touch()
    with pytest.raises(ZOrderSessionError, match=rf"no jar for Spark {version}: its jars are for Spark 4\.2") as caught:
        jar_path(version)
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("ZORDER_OTHER_SPARK", "56038")


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (None, r"none is installed: pip install 'spark-zorder\[pyspark\]'"),
        ("3.5.6", "3.5.6 is installed"),
        ("4.3.0", None),
    ],
)
def test_pyspark_is_needed(version: str | None, text: str | None) -> None:
    found = fault(version)
    assert (found is None) == (text is None)
    assert not text or re.search(text, str(found))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=1\nb = 2\r\nc: 3\nd 4\n", {"a": "1", "b": "2", "c": "3", "d": "4"}),
        ("# c\n! c\n\n  a=1  ", {"a": "1"}),
        ("a=x#y=z", {"a": "x#y=z"}),
        ("a\nb=", {"a": "", "b": ""}),
        ("a=1,\\\n   2\nb=3", {"a": "1,2", "b": "3"}),
        (r"a\=b\ c=C:\\x\u0041\t.", {"a=b c": "C:\\xA\t."}),
        ("a=1\na=2", {"a": "2"}),
    ],
)
def test_properties(text: str, found: dict[str, str]) -> None:
    assert parse_properties(text) == found


@given(st.text())
def test_any_text_is_properties(text: str) -> None:
    parse_properties(text)


def test_command_line(jar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jar"]) == 0
    assert capsys.readouterr().out == f"{jar}\n"
    assert main(["conf", "--delta"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"--conf spark.jars={jar}"
    # spark-sql names the columns of our results.
    assert lines[4:] == ["--conf spark.sql.cli.print.header=true"]


def test_command_line_with_iceberg(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for minor in ("4.1", "4.2"):
        (package / "jars" / JAR_NAME.replace(MINOR, minor)).touch()
    assert main(["conf", "--iceberg", "--spark-version", "4.1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("--conf spark.jars.packages=org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:")
    assert (
        lines[2] == "--conf spark.sql.extensions="
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,io.sparkzorder.ZOrderSparkSessionExtension"
    )
    assert main(["conf", "--iceberg", "--delta", "--spark-version", "4.2"]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "ZORDER_ICEBERG_ON_OTHER_SPARK" in output.err


@pytest.mark.usefixtures("package")
def test_command_line_without_a_jar(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conf"]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "ZORDER_JAR_NOT_BUNDLED" in output.err


def test_functions_call_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(F, "call_function", lambda *arguments: arguments)
    monkeypatch.setattr(F, "lit", lambda value: ("lit", value))
    assert functions.interleave_bits("a", "b.c") == ("interleave_bits", "a", "b.c")
    assert functions.interleave_bits() == ("interleave_bits",)
    assert functions.range_partition_id("a", 8) == ("range_partition_id", "a", ("lit", 8))
    assert functions.hilbert_index(4, "a", "b") == ("hilbert_index", ("lit", 4), "a", "b")


@pytest.mark.parametrize("count", [True, 2.0, "8", None])
def test_the_number_of_ranges_is_an_int(count: Any) -> None:
    with pytest.raises(ZOrderTypeError, match="num_partitions must be an int"):
        functions.range_partition_id("a", count)
    with pytest.raises(ZOrderTypeError):
        functions.hilbert_index(count, "a")


def test_functions_make_connect_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc")
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    assert "interleave_bits" in str(functions.interleave_bits("a", F.col("b")))
    assert "range_partition_id" in str(functions.range_partition_id("a", 4))


@pytest.mark.parametrize(
    ("words", "original", "is_ours"),
    [
        (["/venv/bin/spark-zorder", "jar"], ["python", "/venv/bin/spark-zorder", "jar"], True),
        (["-m", "jar"], ["python", "-m", "spark_zorder", "jar"], True),
        (["-m"], ["python", "-m", "their_package"], False),
        ([], ["python"], False),
    ],
)
def test_only_our_own_program_ends_without_pyspark(
    monkeypatch: pytest.MonkeyPatch, words: list[str], original: list[str], is_ours: bool
) -> None:
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.setattr(sys, "orig_argv", original)
    assert _is_command() is is_ours
