# SPDX-License-Identifier: Apache-2.0

"""What the doctor says, without a JVM. Each check stands for a failure of docs/troubleshooting.md."""

from __future__ import annotations

import json
import os
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark_zorder._cli import doctor, main
from spark_zorder._doctor import OK, PROBLEM, WARNING, Finding, installation, table_in
from spark_zorder._doctor.table import _INDEX, _INDEX_VERSION, _LOG_VERSION
from spark_zorder._footers.clusterings import _VERSION
from spark_zorder._regular_files import text_of
from spark_zorder._versions import versions
from tests.conftest import ICEBERG_EXTENSION, JAR_NAME, MINOR, FakeSpark

if TYPE_CHECKING:
    from collections.abc import Iterable


SPARK = f"{MINOR}.0"
ENTRY = "00000000000000000001.log1"


@pytest.fixture
def home(tmp_path: Path, jar: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Java and Spark as they should be."""
    assert jar
    for file in ("bin/java", "release"):
        (tmp_path / "java" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "java" / file).touch()
    (tmp_path / "java" / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="17.0.9"\n')
    jars = tmp_path / "spark" / "jars"
    jars.mkdir(parents=True)
    for name in (f"spark-core_2.13-{SPARK}.jar", "hadoop-client-api-3.5.0.jar"):
        (jars / name).touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def of(findings: Iterable[Finding], check: str) -> Finding:
    return next(finding for finding in findings if finding.check == check)


def rename(home: Path, before: str, after: str) -> None:
    (home / "spark" / "jars" / before).rename(home / "spark" / "jars" / after)


def test_an_installation_without_a_fault(home: Path) -> None:
    found = list(installation(delta=True))
    assert {finding.check: finding.status for finding in found if finding.check != "Figures"} == dict.fromkeys(
        ["Java", "Python", "Spark", "Hadoop", "Jar", "Settings", "Delta"], OK
    )
    assert of(found, "Java").found == f"17.0.9 by JAVA_HOME ({home / 'java' / 'bin' / 'java'})"
    assert of(found, "Spark").found.startswith(SPARK)


def test_java(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = home / "java" / "release"
    release.write_text('JAVA_VERSION="1.8.0_392"\n')
    assert of(installation(delta=False), "Java").status == PROBLEM
    release.unlink()
    assert of(installation(delta=False), "Java").status == WARNING
    monkeypatch.setenv("JAVA_HOME", str(home / "nothing"))
    java = of(installation(delta=False), "Java")
    assert (java.status, java.found) == (PROBLEM, "no java by JAVA_HOME")
    assert "Java 17" in java.next


@pytest.mark.parametrize(
    ("jar", "status"), [("spark-core_2.13-3.9.1.jar", PROBLEM), ("spark-core_2.12-3.5.6.jar", PROBLEM), ("x", PROBLEM)]
)
def test_another_spark(home: Path, jar: str, status: str) -> None:
    rename(home, f"spark-core_2.13-{SPARK}.jar", jar)
    assert of(installation(delta=False), "Spark").status == status


def test_an_old_hadoop(home: Path) -> None:
    rename(home, "hadoop-client-api-3.5.0.jar", "hadoop-client-api-3.4.1.jar")
    found = of(installation(delta=False), "Hadoop")
    assert (found.status, found.found) == (WARNING, "3.4.1")
    assert "S3" in found.next


def test_no_jar(home: Path, jar: str) -> None:
    assert home
    Path(jar).unlink()
    found = of(installation(delta=False), "Jar")
    assert found.status == PROBLEM
    assert "make wheel" in found.next


EXTENSION = "--conf spark.sql.extensions=io.sparkzorder.ZOrderSparkSessionExtension"


@pytest.mark.parametrize(
    ("submitted", "statuses"),
    [
        (f"{EXTENSION} pyspark-shell", [WARNING]),
        (f"{EXTENSION} --jars /x/{JAR_NAME} pyspark-shell", [OK]),
        (f"{EXTENSION} --jars /x/spark-zorder_3.9_2.13-0.1.0.jar pyspark-shell", [PROBLEM, OK]),
        (f"{EXTENSION} --packages io.sparkzorder:spark-zorder_{MINOR}_2.13:0.1.0 pyspark-shell", [OK]),
        (f"{EXTENSION} --packages io.sparkzorder:spark-zorder_3.9_2.13:0.1.0 pyspark-shell", [PROBLEM, OK]),
    ],
)
@pytest.mark.usefixtures("home")
def test_settings(monkeypatch: pytest.MonkeyPatch, submitted: str, statuses: list[str]) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", submitted)
    assert [f.status for f in installation(delta=False) if f.check == "Settings"] == statuses


def test_delta(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = versions()["delta"]
    half = home / ".m2" / "repository" / "io" / "delta" / f"delta-spark_{MINOR}_2.13" / wanted
    half.mkdir(parents=True)
    assert of(installation(delta=True), "Delta").status == OK
    (half / "x.pom").touch()
    found = of(installation(delta=True), "Delta")
    assert (found.status, found.found) == (PROBLEM, f"{half} is half-filled")
    assert str(home / ".m2" / "repository" / "io" / "delta") in found.next
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--packages io.delta:delta-spark_{MINOR}_2.13:4.4.0 pyspark-shell")
    assert of(installation(delta=True), "Delta").status == PROBLEM
    (half / "x.jar").touch()
    assert of(installation(delta=True), "Delta").found == f"io.delta:delta-spark_{MINOR}_2.13:4.4.0"
    (home / "spark" / "jars" / f"delta-spark_{MINOR}_2.13-4.3.0.jar").touch()
    assert of(installation(delta=True), "Delta").status == WARNING
    assert not [f for f in installation(delta=False) if f.check == "Delta"]


@pytest.mark.parametrize(
    "named",
    [
        "--packages io.delta:delta-spark_3.9_2.13:4.4.0",
        "--jars /x/delta-storage-4.4.0.jar,/x/delta-spark_3.9_2.13-4.4.0.jar",
    ],
)
def test_a_delta_for_another_spark(home: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{named} pyspark-shell")
    found = of(installation(delta=True), "Delta")
    assert (found.status, found.found.endswith(" is for Spark 3.9")) == (PROBLEM, True)
    assert f"io.delta:delta-spark_{MINOR}_2.13:" in found.next
    # What Spark itself has is used.
    (home / "spark" / "jars" / f"delta-spark_{MINOR}_2.13-{versions()['delta']}.jar").touch()
    assert of(installation(delta=True), "Delta").status == OK


def test_a_delta_for_another_spark_in_its_own_folder(home: Path) -> None:
    (home / "spark" / "jars" / f"delta-spark_3.9_2.13-{versions()['delta']}.jar").touch()
    assert of(installation(delta=True), "Delta").status == PROBLEM


def iceberg(monkeypatch: pytest.MonkeyPatch, submitted: str = "pyspark-shell") -> Finding:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", submitted)
    return of(installation(delta=False, iceberg=True), "Iceberg")


RUNTIME = "org.apache.iceberg:iceberg-spark-runtime-{}_2.13:{}"


def test_iceberg(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename(home, f"spark-core_2.13-{SPARK}.jar", "spark-core_2.13-4.1.4.jar")
    assert not [f for f in installation(delta=False) if f.check == "Iceberg"]
    wanted = versions()["iceberg"]
    assert iceberg(monkeypatch).status == OK
    assert iceberg(monkeypatch).found.startswith(wanted)
    named = RUNTIME.format("4.1", wanted)
    found = iceberg(monkeypatch, f"--packages {named} pyspark-shell")
    assert (found.status, found.found) == (OK, named)
    for other, text in [
        (RUNTIME.format("4.0", wanted), "is for Spark 4.0"),
        (RUNTIME.format("4.1", "1.10.2"), "another Iceberg"),
    ]:
        found = iceberg(monkeypatch, f"--packages {other} pyspark-shell")
        assert (found.status, text in found.found, named in found.next) == (PROBLEM, True, True)
    # What Spark itself has is used.
    (home / "spark" / "jars" / f"iceberg-spark-runtime-4.1_2.13-{wanted}.jar").touch()
    assert iceberg(monkeypatch, f"--packages {other} pyspark-shell").status == OK


def test_iceberg_has_no_runtime_for_another_spark(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename(home, f"spark-core_2.13-{SPARK}.jar", "spark-core_2.13-4.2.0.jar")
    found = iceberg(monkeypatch)
    assert found.status == PROBLEM
    assert "Iceberg tables need Spark 4.1" in found.found
    # A session that names its extension needs it, too.
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--conf spark.sql.extensions={ICEBERG_EXTENSION} pyspark-shell")
    assert of(installation(delta=False), "Iceberg").status == PROBLEM


@pytest.fixture
def table(tmp_path: Path) -> Path:
    folder = tmp_path / "t"
    folder.mkdir()
    with (folder / "0.parquet").open("wb") as file:
        file.write(b"PAR1")
        file.truncate(13_000_000)
    return folder


def said(folder: Path) -> list[tuple[str, str]]:
    return [(finding.check, finding.status) for finding in table_in(folder)]


def test_a_table_without_a_fault(table: Path) -> None:
    found = list(table_in(table))
    assert [(f.check, f.status) for f in found] == [("Table", OK), ("Rights", OK)]
    assert found[0].found == "Parquet, 13.0 MB in 1 file"


def test_a_small_table_fits_in_one_file(table: Path) -> None:
    (table / "0.parquet").write_bytes(b"PAR1")
    found = of(table_in(table), "Size")
    assert found.status == WARNING
    assert "gain nothing" in found.next
    # The number that the dry run of two columns says.
    with (table / "0.parquet").open("r+b") as file:
        file.truncate(11_485_135)
    assert "target_file_size=717k" in of(table_in(table), "Size").next


def test_what_is_no_table(table: Path) -> None:
    assert said(table / "nothing") == [("Table", PROBLEM)]
    found = of(table_in(table / "0.parquet"), "Table")
    assert (found.status, found.next) == (PROBLEM, f"Name its folder: {table}")
    (table / "0.parquet").unlink()
    assert said(table) == [("Table", PROBLEM)]


@pytest.mark.parametrize(
    ("record", "owner"),
    [
        (".hoodie", "Apache Hudi"),
        ("_spark_metadata", "a streaming sink"),
        ("metadata", "Apache Iceberg"),
        ("snapshot", "Apache Paimon"),
    ],
)
def test_tables_of_other_formats(table: Path, record: str, owner: str) -> None:
    (table / record).mkdir()
    (table / "metadata").mkdir(exist_ok=True)
    if record == "metadata":
        (table / record / "v1.gz.metadata.json").touch()
    if record == "snapshot":
        (table / record / "snapshot-1").touch()
        (table / "manifest").mkdir()
    (found,) = table_in(table)
    assert found.found == f"{owner} keeps a record of the files in {table}"
    assert ("--iceberg" in found.next) == (owner == "Apache Iceberg")
    assert found.status == PROBLEM


def test_a_delta_table_and_a_folder_in_it(table: Path) -> None:
    (table / "_delta_log").mkdir()
    assert of(table_in(table), "Table").found == "Delta, 13.0 MB in 1 file, with those of old versions"
    (table / "p=1").mkdir()
    (found,) = table_in(table / "p=1")
    assert found.next == f"Name {table}."
    link = table.parent / "link"
    link.symlink_to(table / "p=1")
    (found,) = table_in(link)
    assert found.next == f"Name {table}."


def test_what_is_kept_of_a_table_is_none(table: Path) -> None:
    (table / "_zorder" / "statistics").mkdir(parents=True)
    (found,) = table_in(table / "_zorder" / "statistics")
    assert found.status == PROBLEM
    assert str(table) in found.next


def test_a_partition(table: Path) -> None:
    part = table / "p=1"
    part.mkdir()
    (part / "1.parquet").write_bytes(b"PAR1")
    assert of(table_in(part), "Table").status == OK
    (table / "p=2").mkdir()
    (found,) = table_in(part)
    assert found.next == f"Name the table, {table}, and the partition with --where."


def test_files_that_are_none_of_parquet(table: Path) -> None:
    (table / "0.parquet").write_bytes(b"ORC ...")
    assert of(table_in(table), "Files").found == "0.parquet is ORC"


def test_links(table: Path, tmp_path: Path) -> None:
    (table / "_zorder").symlink_to(tmp_path)
    assert of(table_in(table), "_zorder").found == f"{table / '_zorder'} is a link"
    (table / "1.parquet").symlink_to(table / "0.parquet")
    assert of(table_in(table), "Files").found == "1.parquet is a link"


def own(table: Path, entry: Any = None, *, closed: bool = False, index: str | None = "v2-00000001-x.index") -> Finding:
    for name in ("log", "statistics"):
        (table / "_zorder" / name).mkdir(parents=True)
    if entry is not None:
        (table / "_zorder" / "log" / f"{ENTRY}.json").write_text(entry if isinstance(entry, str) else json.dumps(entry))
    if closed:
        (table / "_zorder" / "log" / f"{ENTRY}.r.closed").touch()
    if index is not None:
        (table / "_zorder" / "statistics" / index).touch()
    return of(table_in(table), "_zorder")


def entry(version: int = 3) -> dict[str, Any]:
    return {"version": version, "entry": {"id": "r"}}


def test_a_log_without_a_fault(table: Path) -> None:
    found = own(table, entry(), closed=True)
    assert (found.status, found.found) == (OK, "statistics index, and 1 rewrite in the log")


def test_a_rewrite_that_is_not_finished(table: Path) -> None:
    found = own(table, entry())
    assert (found.status, found.found) == (WARNING, "a rewrite is not finished")
    assert f"spark-zorder analyze {table}" in found.next


def test_a_log_of_a_newer_version(table: Path) -> None:
    found = own(table, entry(_LOG_VERSION + 1), closed=True)
    assert (found.status, found.found) == (PROBLEM, "the log was written by a newer version")


@pytest.mark.parametrize("text", ["", "null", "{}"])
def test_a_log_that_cannot_be_read(table: Path, text: str) -> None:
    found = own(table, text)
    assert (found.status, found.found) == (PROBLEM, "an entry of the log cannot be read")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_a_pipe_is_not_waited_for(table: Path) -> None:
    assert own(table, entry(), closed=True).status == OK
    pipe = table / "_zorder" / "log" / f"{'9':0>20}.l.json"
    os.mkfifo(pipe)
    found = of(table_in(table), "_zorder")
    assert (found.status, found.found) == (PROBLEM, "an entry of the log cannot be read")
    with pytest.raises(OSError, match="is no file"):
        text_of(pipe)


@pytest.mark.parametrize(
    ("source", "name", "version"),
    [("index/StatisticsFile", "Format", _INDEX_VERSION), ("log/LogFiles", "Version", _LOG_VERSION)],
)
def test_log_and_index_are_those_of_the_jar(source: str, name: str, version: int) -> None:
    folder = Path(__file__).resolve().parents[2] / "jvm/format/src/main/scala/io/sparkzorder/format/parquet"
    assert re.findall(rf"val {name} = (\d+)", (folder / f"{source}.scala").read_text()) == [str(version)]


def test_names_of_an_index_are_those_of_the_jar() -> None:
    folder = Path(__file__).resolve().parents[2] / "jvm/format/src/main/scala/io/sparkzorder/format/parquet"
    text = (folder / "index" / "StatisticsFile.scala").read_text()
    (written,) = re.findall(r'val Ending = "(.*)"', text)
    (read,) = re.findall(r'val Name: Regex = """(.*)""".r', text)
    assert re.fullmatch(read, f"v2-00000001-x{written}")
    for known in (_INDEX, _VERSION):
        assert all(known.fullmatch(f"v2-00000001-x{ending}") for ending in (written, ".parquet"))


@pytest.mark.parametrize("version", [_INDEX_VERSION - 1, _INDEX_VERSION + 1])
def test_a_statistics_index_of_another_version_and_none(table: Path, version: int) -> None:
    found = own(table, index=f"v{version}-00000001-x.index")
    assert (found.status, found.found) == (WARNING, "the statistics index was written by another version")
    (table / "_zorder" / "statistics" / f"v{version}-00000001-x.index").unlink()
    assert of(table_in(table), "_zorder").found == "there is no statistics index"


@pytest.mark.parametrize(
    ("shut", "missing", "status", "text"),
    [
        (".", os.R_OK, PROBLEM, "the folder cannot be read"),
        ("0.parquet", os.R_OK, PROBLEM, "0.parquet cannot be read"),
        (".", os.W_OK, WARNING, "cannot be written"),
        ("_zorder", os.R_OK, PROBLEM, "_zorder cannot be read"),
        ("_zorder", os.W_OK, WARNING, "_zorder cannot be written"),
    ],
)
def test_rights(table: Path, monkeypatch: pytest.MonkeyPatch, shut: str, missing: int, status: str, text: str) -> None:
    (table / "_zorder").mkdir()
    # As root may do all, this is not tried by permissions.
    monkeypatch.setattr(os, "access", lambda path, mode: not (Path(path) == table / shut and mode & missing))
    found = of(table_in(table), "Rights")
    assert found.status == status
    assert text in found.found


@pytest.mark.usefixtures("home")
def test_on_the_command_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(table)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["ok", "Java", "17.0.9"]
    assert lines[-1].split()[:2] == ["ok", "Rights"]
    assert main(["doctor", str(table / "nothing"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["rows"][-1]["status"] == PROBLEM
    assert set(document["rows"][-1]) == {"check", "status", "found", "next"}


@pytest.mark.usefixtures("home")
def test_what_cannot_be_seen_from_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "db.t"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].strip() == "-> Add --spark."
    assert main(["doctor"]) == 0


@pytest.mark.usefixtures("home")
def test_a_session(
    table: Path, fake: FakeSpark, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("Spark did not start")

    monkeypatch.setattr(doctor, "spark_for", fail)
    assert main(["doctor", str(table), "--spark"]) == 1
    assert "Spark did not start" in capsys.readouterr().out

    class Rows:
        columns = ("a", "b")

        def collect(self) -> None:
            pass

    monkeypatch.setattr(doctor, "spark_for", lambda *_: nullcontext(fake))
    monkeypatch.setattr(fake, "version", SPARK, raising=False)
    monkeypatch.setattr(fake, "sql", lambda _: Rows())
    monkeypatch.setattr(fake, "table", lambda _: Rows())
    assert main(["doctor", "db.t", "--spark"]) == 0
    assert "it reads the columns a, b" in capsys.readouterr().out
