# SPDX-License-Identifier: Apache-2.0

"""What the command line's words mean, and what it says of wrong ones."""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

import pytest

from spark_zorder._cli import main, setup
from spark_zorder._cli.parser import new_parser, parse
from spark_zorder._cli.target import Target, target_of

COMMANDS = [
    "optimize",
    "layout",
    "files",
    "skipping",
    "analyze",
    "rewrites",
    "restore",
    "vacuum",
    "repair",
    "advise",
    "benchmark",
    "report",
    "doctor",
    "conf",
    "jar",
    "completion",
]
PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        ([], []),
        (["--by", "a"], ["a"]),
        (["--by", "a,b.c , `d,e`"], ["a", "b.c", "`d,e`"]),
        (["--by", "a", "--zorder-by", "`b``,c`"], ["a", "`b``,c`"]),
    ],
)
def test_columns(words: list[str], columns: list[str]) -> None:
    assert parse(["optimize", "t", *words]).by == columns


def test_options_of_the_session() -> None:
    words = ["--master", "local[2]", "-c", "spark.a=b=c", "--conf", "spark.d=", "--no-delta", "--driver-memory", "2g"]
    parsed = parse(["layout", "t", *words])
    assert (parsed.master, parsed.driver_memory, parsed.delta) == ("local[2]", "2g", False)
    assert parsed.conf == [("spark.a", "b=c"), ("spark.d", "")]
    assert parse(["layout", "t"]).delta is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "required: <command>"),
        ("optimise t", "invalid choice: 'optimise'; did you mean optimize?"),
        ("frobnicate t", "(choose from"),
        ("optimize", "required: <table or path>"),
        ("optimize t --by a,,b", "'a,,b' is not a list of columns"),
        ("optimize t --by a..b", "'a..b' is not an identifier"),
        ("optimize t --option curve", "'curve' is not of the form key=value"),
        ("optimize t --by a --dryrun", "unrecognized arguments: --dryrun; did you mean --dry-run?"),
        ("conf --detla", "did you mean --delta?"),
        ("advise t --option a=b", "usage: spark-zorder advise "),
        ("layout t --by a", "unrecognized arguments: --by a\n"),
        ("layout t --format csv", "invalid choice: 'csv'"),
        ("analyze t --columns a --all", "not allowed with argument"),
        ("restore t", "the following arguments are required: --rewrite"),
        ("restore t --rewrite -1", "'-1' is no whole number"),
        ("restore t --rewrite 1.5", "'1.5' is no whole number"),
        ("report t", "required: --out"),
        ("completion fish", "invalid choice: 'fish'"),
        ("layout t --remote sc://h --master local --delta", "--master, --delta cannot be set for a server that runs"),
        ("layout t --remote sc://h --iceberg", "--iceberg cannot be set for a server that runs"),
    ],
)
def test_wrong_words(capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    assert caught.value.code == 2
    output = capsys.readouterr()
    assert said in output.err
    assert output.out == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert "example:\n  spark-" in capsys.readouterr().out


def test_help_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(f"\n    {command}" in text for command in COMMANDS)
    assert "exit codes: 0 done" in text


def test_the_commands_here_and_on_the_page_are_those_of_the_parser() -> None:
    (choices,) = (action.choices for action in new_parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert list(choices) == COMMANDS
    table = re.findall(r"^\| (`[^|]+) \|.*\|(.*)\|$", PAGE.read_text(), re.MULTILINE)
    rows = {command: cells for first, cells in table for command in re.findall(r"`([a-z]+)", first)}
    assert [command for command in COMMANDS if command not in rows] == []
    # Those of their own: what all have that start Spark stands elsewhere on the page.
    shared = set(choices["repair"]._option_string_actions) - {"--dry-run"}
    for command in COMMANDS:
        own = [action for action in choices[command]._actions if not shared.intersection(action.option_strings)]
        flags = [action.option_strings for action in own if action.option_strings]
        assert [names for names in flags if not any(f"`{name}" in rows[command] for name in names)] == [], command


@pytest.mark.parametrize(
    ("text", "is_path", "path_format"),
    [
        ("t", False, None),
        ("db.t", False, None),
        ("`a/b`.t", False, None),
        ("./t", True, None),
        ("data/t", True, None),
        ("/data/t", True, None),
        ("s3a://b/t", True, None),
        ("file:/data/t", True, None),
        (r"C:\data\t", True, None),
        ("delta.`/data/t`", True, "delta"),
        ("PARQUET.`t`", True, "parquet"),
    ],
)
def test_a_name_or_a_path(text: str, is_path: bool, path_format: str | None) -> None:
    target = target_of(text)
    assert (target.is_path, target.format) == (is_path, path_format)


def test_a_folder_that_is_there_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not target_of("flights").is_path
    (tmp_path / "flights").mkdir()
    assert target_of("flights") == Target("flights", is_path=True, format=None)
    # A server elsewhere does not see the folders that are here.
    assert not target_of("flights", is_local=False).is_path
    assert target_of("other", "delta") == Target("other", is_path=True, format="delta")
    assert target_of("delta.`/a``b`").text == "/a`b"


def test_a_delta_table_is_known_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a table"
    (folder / "_delta_log").mkdir(parents=True)
    assert target_of(str(folder)).is_delta()
    assert target_of(folder.as_uri()).is_delta()
    assert not target_of(str(folder), "parquet").is_delta()
    assert not target_of(str(tmp_path)).is_delta()
    assert not target_of("s3a://bucket/t").is_delta()
    assert target_of("s3a://bucket/t", "delta").is_delta()
    assert not target_of("db.t").is_delta()


@pytest.mark.parametrize("shell", setup.SHELLS)
def test_completion_knows_every_command(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)
    assert "--driver-memory" in script


def test_completion_in_bash(capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    script = capsys.readouterr().out
    script += """
        words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); $complete; echo "${COMPREPLY[@]}"; }
        complete=$(complete -p spark-zorder | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        words spark-zorder an
        words spark-zorder optimize --inc
        words spark-zorder layout --format par
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)  # noqa: S603, S607
    assert done.stdout.splitlines() == ["analyze", "--incremental", "parquet"]


def test_the_parser_is_made_anew() -> None:
    assert new_parser() is not new_parser()
