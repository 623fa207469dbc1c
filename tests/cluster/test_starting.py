# SPDX-License-Identifier: Apache-2.0

"""Every statement on both formats, by every way to start Spark with a cluster; the layout is that of one machine."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from standalone import Cluster, on_cluster
from statements import FORMATS, ROWS, SIZE, expected_rows, name_of, statements
from tables import data_files, left_behind, make_tables, rows_of
from walking import walk

from launching import BIN, COMMANDS, INTERPRETED, run, small

if TYPE_CHECKING:
    from collections.abc import Mapping


def printed(*words: str) -> list[str]:
    """The settings that the command line prints, as a shell would put them on another."""
    done = run([str(BIN / "spark-zorder"), "conf", *words], Path.cwd())
    assert done.returncode == 0
    return shlex.split(done.stdout)


def conf_words(conf: Mapping[str, str]) -> list[str]:
    return [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]


# With `spark.jars` in the builder executors did not get Delta's jars, which come by `spark.jars.packages`.
def test_the_helper(tmp_path: Path, cluster: Cluster, repository: dict[str, str]) -> None:
    answers = walk(tmp_path / "walk", on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository)

    for table_format in FORMATS:
        (full, _, files), layout = answers[table_format]["full"], answers[table_format]["layout"]
        assert files == 8
        assert [round(gain["point_read_share_after"], 2) for gain in full] == [0.25, 0.5]
        assert [round(row["point_read_share"], 2) for row in layout] == [0.25, 0.5]
        assert answers[table_format]["explain"]["files_read"] == answers[table_format]["explain"]["files_total"] / 4


@pytest.mark.long
def test_spark_submit(
    tmp_path: Path, cluster: Cluster, repository: dict[str, str], on_one_machine: dict[str, Any]
) -> None:
    words = conf_words(on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository)
    command = [str(BIN / "spark-submit"), "--deploy-mode", "client", *words, *printed("--delta")]

    assert walk(tmp_path / "walk", {}, *command) == on_one_machine


@pytest.mark.long
def test_a_connect_server(
    tmp_path: Path, cluster: Cluster, repository: dict[str, str], on_one_machine: dict[str, Any]
) -> None:
    conf = on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository | {"spark.api.mode": "connect"}

    assert walk(tmp_path / "walk", conf) == on_one_machine


@pytest.mark.long
def test_spark_sql(
    tmp_path: Path, cluster: Cluster, repository: dict[str, str], on_one_machine: dict[str, Any]
) -> None:
    words = conf_words(on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository)
    wanted = {table_format: statements(table_format, str(tmp_path)) for table_format in FORMATS}
    (tmp_path / "all.sql").write_text(";\n".join(s for texts in wanted.values() for s in texts.values()) + ";\n")

    done = run([str(BIN / "spark-sql"), *words, *printed("--delta"), "-f", "all.sql"], tmp_path)

    assert done.returncode == 0
    for table_format in FORMATS:
        table, expected = tmp_path / name_of(table_format), on_one_machine[table_format]
        assert rows_of(table) == expected_rows()
        assert left_behind(table) == []
        assert len(data_files(table)) == expected["files"]
        assert expected["full"][1] in done.stdout
        assert expected["incremental"][1] in done.stdout


@pytest.mark.long
def test_the_command_line_twice_in_one_jvm(tmp_path: Path, cluster: Cluster, repository: dict[str, str]) -> None:
    first = expected_rows()[:ROWS]
    make_tables(tmp_path, first)
    words = conf_words(on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository)
    optimize = ["--by", "a,b", "--option", f"target_file_size={SIZE}", "--delta", "--json", *words]
    commands = [["optimize", str(tmp_path / name_of(table_format)), *optimize] for table_format in FORMATS]

    done = run([sys.executable, "-c", COMMANDS, json.dumps(commands)], tmp_path)

    for table_format, (code, out, err) in zip(FORMATS, json.loads(done.stdout), strict=True):
        assert (code, err) == (0, "")
        (row,) = json.loads(out)["rows"]
        assert [round(gain["point_read_share_after"], 2) for gain in row["layout"]] == [0.25, 0.5]
        assert rows_of(tmp_path / name_of(table_format)) == first
        assert left_behind(tmp_path / name_of(table_format)) == []
