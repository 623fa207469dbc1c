# SPDX-License-Identifier: Apache-2.0

"""Tables of both formats on HDFS, by a cluster: every statement, and a driver that is killed in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from faulty import BEFORE, OnCluster, by_path, faulty, taken, wait_until
from hdfs import Hdfs
from standalone import Cluster, on_cluster
from statements import FORMATS, name_of
from tables import FILES, data_files, left_behind, make_tables, rows_of
from walking import walk_elsewhere

from launching import INTERPRETED, small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    running = Hdfs(tmp_path_factory.mktemp("hdfs"))
    yield running
    running.end()


@pytest.mark.parametrize("mode", ["classic", "connect"])
def test_every_statement(
    tmp_path: Path, cluster: Cluster, repository: dict[str, str], hdfs: Hdfs, on_one_machine: dict[str, Any], mode: str
) -> None:
    conf = on_cluster(small(tmp_path) | INTERPRETED, cluster.url) | repository | hdfs.conf() | {"spark.api.mode": mode}
    place = f"/walk-{mode}"

    found = walk_elsewhere(
        tmp_path / "walk", conf, f"{hdfs.url}{place}", lambda name: hdfs.get(f"{place}/{name}", tmp_path / name)
    )

    assert found == on_one_machine


def test_a_driver_is_killed_in_the_middle(tmp_path: Path, cluster: Cluster, hdfs: Hdfs, faults: Path) -> None:
    make_tables(tmp_path / "made", BEFORE)
    hdfs.put(tmp_path / "made", "/killed")
    conf = hdfs.conf() | {key: value for key, value in faulty(faults).items() if key != "spark.jars"}
    statements = {
        table_format: by_path(table_format, f"{hdfs.url}/killed/{name_of(table_format)}") for table_format in FORMATS
    }
    staged = {}
    for table_format, statement in statements.items():
        victim = OnCluster(tmp_path / f"killed-{table_format}", [statement], cluster.url, conf)
        (faults / "hold-writers").touch()
        try:
            victim.ready()
            victim.go()
            # Files are written, and the driver knows of none of them.
            wait_until(lambda: any(faults.glob("held-*")), "no task has written")
        finally:
            victim.kill()
        wait_until(lambda: not cluster.executors(), "executors are still there")
        (faults / "hold-writers").unlink()
        taken(faults, "held-*")
        found = hdfs.get(f"/killed/{name_of(table_format)}", tmp_path / "after" / table_format)
        staged[table_format] = left_behind(found)
        assert staged[table_format] != []
        assert rows_of(found) == BEFORE

    again = OnCluster(tmp_path / "again", list(statements.values()), cluster.url, conf)
    again.ready()
    again.go()
    assert again.outcome() is None
    # As with any writer, files of a commit that did not come to be are in a Delta table until VACUUM.
    staged["parquet"] = []
    for table_format in FORMATS:
        found = hdfs.get(f"/killed/{name_of(table_format)}", tmp_path / "found" / table_format)
        assert rows_of(found) == BEFORE
        assert len(data_files(found)) == FILES
        assert left_behind(found) == staged[table_format]
