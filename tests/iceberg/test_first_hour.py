# SPDX-License-Identifier: Apache-2.0

"""The program of docs/iceberg.md, as it stands there, in a session that runs already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession


def test_the_program(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "iceberg.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}

    exec(program.replace("/tmp/lake", str(tmp_path)).replace("1000000", "100000"), names)  # noqa: S102

    shown = capsys.readouterr().out
    assert re.search(r"user 100 % -> \d+ %, at 100 % -> \d+ % of files per point lookup", shown)
    assert spark.table("lake.db.events").count() == 100000
    assert [row["operation"] for row in spark.table("lake.db.events.snapshots").sort("committed_at").collect()] == [
        "append",
        "replace",
    ]
