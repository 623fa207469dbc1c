# SPDX-License-Identifier: Apache-2.0

"""The models of docs/dbt.md, run by the real dbt-core and dbt-spark (`make .build/dbt/complete`)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from launching import ROOT, delta_jars, environment, small
from spark_zorder import jar_path

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "dbt.md").read_text()
PROJECT = ROOT / "tests" / "docs" / "dbt_project"
DBT = ROOT / ".build" / "dbt" / "bin" / "dbt"


def profile() -> str:
    """The page's profile, with jars that are here in place of a package to download."""
    (block,) = re.findall(r"^```yaml\n# profiles.yml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    lines = [line for line in block.splitlines() if "spark.jars.packages" not in line]
    assert len(lines) == block.count("\n") - 1
    return "\n".join(lines) + "\n"


def build(project: Path, rows: int) -> str:
    """Runs `dbt build`, with so many rows in the source; returns what it printed."""
    # What a user's own Spark has in spark-defaults.conf.
    conf = {k: v for k, v in small(project).items() if k not in ("spark.master", "spark.driver.memory")}
    submit = " ".join(f"--conf '{key}={value}'" for key, value in conf.items())
    env = environment() | {
        "SPARK_ZORDER_JAR": ",".join([jar_path(), *delta_jars()]),
        "DBT_PROFILES_DIR": str(project),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "PYSPARK_SUBMIT_ARGS": f"--driver-memory 1g {submit} pyspark-shell",
    }
    command = [str(DBT), "--no-use-colors", "build", "--vars", f"{{rows: {rows}}}"]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def commits(project: Path, model: str) -> list[dict[str, Any]]:
    """What each commit of a Delta table says of itself, the oldest first."""
    log = project / "warehouse" / "analytics.db" / model / "_delta_log"
    lines = [line for file in sorted(log.glob("*.json")) for line in file.read_text().splitlines()]
    return [action["commitInfo"] for action in map(json.loads, lines) if "commitInfo" in action]


@pytest.mark.parametrize("name", re.findall(r"^-- (models/\w+\.sql)$", PAGE, re.MULTILINE))
def test_the_page_shows_the_models_that_run(name: str) -> None:
    (block,) = re.findall(rf"^```sql\n-- {name}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert (PROJECT / name).read_text() == block


@pytest.mark.nightly
def test_models_are_clustered_by_their_hooks(tmp_path: Path) -> None:
    assert DBT.exists(), "run `make .build/dbt/complete`"
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    (project / "profiles.yml").write_text(profile())

    first = build(project, 20_000)
    second = build(project, 22_000)

    for output in (first, second):
        assert re.search(r"PASS=4 WARN=0 ERROR=0", output), output
    for model, columns in (("flights", ["dest_lat", "dest_lon", "dep_delay"]), ("ordered", ["user", "place"])):
        last = commits(project, model)[-1]
        assert last["operation"] == "OPTIMIZE"
        assert json.loads(last["operationParameters"]["zOrderBy"]) == columns
    runs = [commit for commit in commits(project, "events") if commit["operation"] == "OPTIMIZE"]
    assert len(runs) == 2
    # The second run clusters the new file and leaves the others.
    assert runs[1]["operationMetrics"]["numRemovedFiles"] == "1"
