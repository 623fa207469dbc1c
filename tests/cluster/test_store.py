# SPDX-License-Identifier: Apache-2.0

"""Tables of both formats on an object store, by a cluster: every statement, and requests of all of its processes."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from standalone import Cluster, on_cluster
from statements import FORMATS
from store import BUCKET, Store, s3a_jars
from walking import walk_elsewhere

from launching import INTERPRETED, small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.long


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "store").mkdir()
    running = Store(tmp_path / "store")
    yield running
    running.end()


def test_every_statement(
    tmp_path: Path, cluster: Cluster, repository: dict[str, str], store: Store, on_one_machine: dict[str, Any]
) -> None:
    jars = os.pathsep.join(s3a_jars())
    conf = on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository | store.conf()
    # S3A is what Hadoop's configuration loads by name: it has to be on the class path itself.
    conf |= {"spark.driver.extraClassPath": jars, "spark.executor.extraClassPath": jars}

    found = walk_elsewhere(
        tmp_path / "walk", conf, f"s3a://{BUCKET}/walk", lambda name: store.get(f"walk/{name}", tmp_path / name)
    )

    assert found == on_one_machine
    answers = json.loads((tmp_path / "walk" / "answers.json").read_text())
    for table_format in FORMATS:
        summary = answers[table_format]["full"][0]["summary"]
        (gets,) = re.findall(r"requests to the store \(.*?(\d+) GET", summary)
        # What executors read of eight files, of which the driver reads no row.
        assert int(gets) >= 8, summary
