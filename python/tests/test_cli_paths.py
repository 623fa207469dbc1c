# SPDX-License-Identifier: Apache-2.0

"""Tables by what a shell makes of a pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_zorder._cli import main
from spark_zorder._cli.parser import parse
from spark_zorder._cli.paths import one_table


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("t/0.parquet", "t/1.parquet", "t/_SUCCESS", "t/_zorder/log/0.id", "u/0.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for p in "ab":
        (tmp_path / "parted" / f"p={p}").mkdir(parents=True)
        (tmp_path / "parted" / f"p={p}" / "0.parquet").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (["db.t"], "db.t"),
        (["t"], "t"),
        (["t/"], "t/"),
        (["not/there"], "not/there"),
        (["s3a://bucket/t/*"], "s3a://bucket/t/*"),
        (["delta.`t/*`"], "delta.`t/*`"),
        (["t/0.parquet", "t/1.parquet"], "t"),
        (["t/*.parquet"], "t"),
        (["t/*"], "t"),
        (["t/0.parquet", "t/1.parquet", "t/_SUCCESS", "t/_zorder"], "t"),
        (["u/0.parquet"], "u"),
        (["parted/p=a", "parted/p=b"], "parted"),
        (["parted/*/*.parquet"], "parted"),
        (["part*/"], "parted/"),
    ],
)
def test_one_table(words: list[str], table: str) -> None:
    assert one_table(words) == table


def test_files_of_the_folder_where_one_is() -> None:
    import os

    os.chdir("t")
    assert one_table(["0.parquet", "1.parquet", "_SUCCESS", "_zorder"]) == "."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["t/0.parquet"], "the table in t has further files, such as 1.parquet"),
        (["t/0*"], "the table in t has further files, such as 1.parquet"),
        (["parted/p=a", "parted/p=a/0.parquet"], "the table in parted has further files, such as p=b/0.parquet"),
        (["t", "u"], "these are 2 tables (t, u)"),
        (["[ptu]*"], "these are 3 tables"),
        (["v/*.parquet"], "nothing matches 'v/*.parquet'"),
        (["t", "nothing"], "'nothing' is no file or folder"),
        (["t/_SUCCESS", "t/_zorder"], "none of these is a data file"),
    ],
)
def test_what_is_no_table(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is compared
        one_table(words)
    assert str(error.value).startswith(said)
    with pytest.raises(SystemExit) as code:
        main(["layout", *words])
    assert code.value.code == 2
    assert said in capsys.readouterr().err


def test_a_server_has_its_own_folders(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(["layout", "t/0.parquet", "--remote", "sc://host"]).table == "t/0.parquet"
    with pytest.raises(SystemExit):
        parse(["layout", "t/0.parquet", "t/1.parquet", "--remote", "sc://host"])
    assert "takes one table" in capsys.readouterr().err


def test_a_doctor_needs_no_table() -> None:
    assert parse(["doctor"]).table == []
    assert Path(parse(["doctor", "t/0.parquet", "t/1.parquet"]).table) == Path("t")
