# SPDX-License-Identifier: Apache-2.0

"""Tables in the hands of ordinary users: two of a team, each with its own `spark-sql`, and one who is not of it."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from users import SparkSql, User, Watch

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

# Users that every Linux has, in a group of which this machine knows no members, as of a volume of a container. In a
# group with a name they would count as strangers.
TEAM = next(number for number in range(30000, 31000) if number not in {group.gr_gid for group in grp.getgrall()})
ANN, BEN = User("daemon", TEAM), User("bin", TEAM)
STRANGER = User("nobody", pwd.getpwnam("nobody").pw_gid)
COLUMNS = "a INT, b INT, p INT"
SIZE = "target_file_size = '8k'"


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A folder that all may enter, as pytest's own are not."""
    if os.getuid() != 0:
        pytest.skip("only the superuser starts processes of other users")
    folder = Path(tempfile.mkdtemp(prefix="zorder-users-"))
    folder.chmod(0o755)
    if not ANN.can_start_spark():
        pytest.skip("other users cannot read this checkout")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def ann(root: Path) -> Iterator[SparkSql]:
    driver = SparkSql(ANN, root / "ann")
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def ben(root: Path) -> Iterator[SparkSql]:
    driver = SparkSql(BEN, root / "ben")
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def stranger(root: Path) -> Iterator[SparkSql]:
    driver = SparkSql(STRANGER, root / "stranger")
    yield driver
    driver.close()


@pytest.fixture
def table(root: Path, ann: SparkSql, request: pytest.FixtureRequest) -> Path:
    """A table of Ann's with three partitions, in a folder that is the team's; all may read it."""
    folder = root / request.node.name.removeprefix("test_")
    folder.mkdir()
    os.chown(folder, ANN.number, TEAM)
    folder.chmod(0o2775)
    ann.sql(f"CREATE TABLE {folder.name} ({COLUMNS}) USING parquet PARTITIONED BY (p) LOCATION '{folder}'")
    ann.sql(f"INSERT INTO {folder.name} SELECT id % 97, id % 89, id % 3 FROM range(0, 9000, 1, 4)")
    assert len(data(folder)) == 12
    return folder


def data(table: Path) -> set[str]:
    return {str(file.relative_to(table)) for file in table.glob("p=*/*.parquet")}


def state(table: Path) -> dict[str, tuple[int, ...]]:
    """All that is below a table: modes, owners and sizes, and the times of files."""
    stats = [(file, file.lstat()) for file in [table, *table.rglob("*")]]
    return {
        str(file): (s.st_mode, s.st_uid, s.st_gid, s.st_size, 0 if file.is_dir() else s.st_mtime_ns)
        for file, s in stats
    }


def rows(driver: SparkSql, table: Path) -> list[str]:
    return driver.sql(f"SELECT count(*), sum(a * 7 + b * 11 + p), bit_xor(xxhash64(a, b, p)) FROM parquet.`{table}`")


def statement(table: Path, *options: str) -> str:
    return f"OPTIMIZE parquet.`{table}` ZORDER BY (a, b) OPTIONS ({', '.join([SIZE, *options])})"


def optimize(driver: SparkSql, table: Path, *options: str) -> str:
    return "\n".join(driver.sql(statement(table, *options)))


def test_a_team_orders_its_table_in_turns(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    before, files = rows(ann, table), data(table)
    for driver in [ann, ben, ann, ben]:
        assert "ZORDER_" not in optimize(driver, table, "mode = 'full'")
        assert not data(table) & files
        files = data(table)
        assert rows(ann, table) == before == rows(ben, table)
        assert "ZORDER_" not in "".join(driver.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS"))
    assert {(table / file).stat().st_mode & 0o777 for file in files} == {0o664}
    assert {(table / file).stat().st_gid for file in files} == {TEAM}


def test_files_of_the_superuser_that_the_team_reads_are_rewritten_by_one_of_it(
    table: Path, ann: SparkSql, ben: SparkSql
) -> None:
    before = rows(ann, table)
    for file in data(table):
        os.chown(table / file, 0, TEAM)
        (table / file).chmod(0o640)
    assert "ZORDER_" not in optimize(ben, table)
    assert rows(ann, table) == before


def test_files_that_a_list_alone_opens_to_one_are_not_closed_to_their_owner(
    table: Path, ann: SparkSql, ben: SparkSql
) -> None:
    if shutil.which("setfacl") is None:
        pytest.skip("no access control lists here")
    own, before = pwd.getpwnam(ANN.name).pw_gid, rows(ann, table)
    for path in [table, *table.glob("p=*"), *[table / file for file in data(table)]]:
        os.chown(path, ANN.number, own)
        path.chmod(0o700 if path.is_dir() else 0o600)
        subprocess.run(["setfacl", "-m", f"u:{BEN.name}:rwx", str(path)], check=True)
    there = data(table)
    assert "[ZORDER_ACCESS_DENIED" in optimize(ben, table)
    assert data(table) == there
    assert rows(ann, table) == before


def test_a_log_that_was_of_another_group_is_opened_to_the_team_again(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    optimize(ann, table)
    before = rows(ann, table)
    # Of those without content the names alone count.
    documents = [file for file in (table / "_zorder" / "log").iterdir() if file.stat().st_size]
    for file in documents:
        os.chown(file, ANN.number, pwd.getpwnam(ANN.name).pw_gid)
        file.chmod(0o600)
    assert "ZORDER_" not in "".join(ann.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS"))
    assert {(file.stat().st_gid, file.stat().st_mode & 0o040) for file in documents} == {(TEAM, 0o040)}
    assert rows(ben, table) == before


def test_one_takes_back_what_the_other_has_done(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    before = rows(ann, table)
    optimize(ann, table, "keep_old = '1 hour'")
    restored = ben.sql(f"RESTORE TABLE parquet.`{table}` TO BEFORE REWRITE 1")
    assert "ZORDER_" not in "".join(restored)
    assert all("-restored-" in file for file in data(table))
    assert rows(ann, table) == before == rows(ben, table)


def test_a_partition_of_one_alone_refuses_the_other_before_anything_is_done(
    table: Path, ann: SparkSql, ben: SparkSql
) -> None:
    (table / "p=1").chmod(0o2755)
    before, there = state(table), rows(ann, table)
    assert "[ZORDER_NO_WRITE_PERMISSION" in optimize(ben, table)
    assert state(table) == before
    assert rows(ben, table) == there


def test_a_log_of_one_alone_refuses_the_other(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    optimize(ann, table)
    for folder in [table / "_zorder", *(table / "_zorder").rglob("*")]:
        folder.chmod(folder.stat().st_mode & ~0o022)
    before, there = state(table), rows(ann, table)
    assert "[ZORDER_OWN_FOLDER_CLOSED" in optimize(ben, table, "mode = 'full'")
    assert state(table) == before
    assert rows(ann, table) == there


def test_a_log_that_one_alone_may_see_refuses_the_other(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    optimize(ann, table)
    (table / "_zorder").chmod(0o700)
    before = state(table)
    assert "SQLSTATE: 42501" in "".join(ben.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS"))
    assert state(table) == before


def test_files_of_the_other_in_a_folder_with_the_sticky_bit_are_refused_before_anything_is_done(
    table: Path, ann: SparkSql, ben: SparkSql
) -> None:
    ben.sql(f"CREATE TABLE {table.name} ({COLUMNS}) USING parquet PARTITIONED BY (p) LOCATION '{table}'")
    ben.sql(f"INSERT INTO {table.name} SELECT id % 97, id % 89, id % 3 FROM range(0, 900, 1, 1)")
    assert len(data(table)) == 15
    for folder in [table, *table.glob("p=*")]:
        os.chown(folder, 0, TEAM)
        folder.chmod(0o3775)
    before, there = state(table), rows(ben, table)
    assert "[ZORDER_NO_WRITE_PERMISSION" in optimize(ben, table)
    assert state(table) == before
    assert rows(ben, table) == there


def test_a_file_of_one_alone_refuses_the_other(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    next(iter(table.glob("p=2/*.parquet"))).chmod(0o600)
    before = state(table)
    assert "[ZORDER_CLOSED_FILE" in optimize(ben, table)
    assert state(table) == before
    assert "[ZORDER_" not in optimize(ann, table)


def test_a_stranger_reads_by_the_index_and_changes_nothing(table: Path, ann: SparkSql, stranger: SparkSql) -> None:
    optimize(ann, table)
    ann.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS")
    before = state(table)
    assert rows(stranger, table) == rows(ann, table)
    found = stranger.sql(f"EXPLAIN SKIPPING SELECT * FROM parquet.`{table}` WHERE a = 5 AND b = 7")
    assert found == ann.sql(f"EXPLAIN SKIPPING SELECT * FROM parquet.`{table}` WHERE a = 5 AND b = 7")
    statements = [
        f"OPTIMIZE parquet.`{table}` ZORDER BY (b, a)",
        f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS",
        f"VACUUM parquet.`{table}` REPLACED FILES RETAIN 0 HOURS",
    ]
    for refused in statements:
        said = "\n".join(stranger.sql(refused))
        assert "SQLSTATE: 42501" in said or (refused.startswith("VACUUM") and not said), said
        assert state(table) == before


def test_nothing_of_a_closed_table_is_open_while_it_is_rewritten(
    table: Path, ann: SparkSql, ben: SparkSql, stranger: SparkSql
) -> None:
    assert Watch(STRANGER, table).found()
    for file in table.glob("p=*/*"):
        file.chmod(0o660)
    before = rows(ann, table)
    watch = Watch(STRANGER, table)
    for driver in [ann, ben]:
        assert "ZORDER_" not in optimize(driver, table, "mode = 'full'")
        driver.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS")
    assert watch.found() == set()
    assert rows(ben, table) == before
    assert rows(stranger, table) != before


def test_one_finishes_what_a_killed_driver_of_the_other_has_begun(table: Path, root: Path, ben: SparkSql) -> None:
    before = rows(ben, table)
    driver = SparkSql(ANN, root / "killed")
    driver.begin(statement(table))
    entries = table / "_zorder" / "log"
    deadline = time.monotonic() + 120
    while not (entries.is_dir() and any(entries.iterdir())):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    driver.kill()
    assert rows(ben, table) == before
    assert "[ZORDER_" not in optimize(ben, table, "mode = 'full'")
    assert rows(ben, table) == before
    assert not [file for file in (table / "_zorder" / "staging").rglob("*") if file.is_file()]


def open_to_all(table: Path) -> set[str]:
    """Files of what is kept of a table that are not closed to others, nor in a folder that is."""

    def is_open(path: Path, right: int) -> bool:
        return path.stat().st_mode & right != 0 and (path == table or is_open(path.parent, 0o001))

    files = [f for f in (table / "_zorder").rglob("*") if f.is_file() and f.parent.name != "log"]
    return {str(file.relative_to(table)) for file in files if is_open(file, 0o004)}


def test_who_closes_files_closes_what_another_has_kept_of_them(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    optimize(ben, table, "keep_old = '1 hour'")
    assert len({file for file in open_to_all(table) if file.endswith(".replaced")}) == 12
    before = rows(ann, table)
    (table / "p=0").chmod(0o2770)
    assert "ZORDER_" not in "".join(ann.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS"))
    assert {file for file in open_to_all(table) if file.endswith((".replaced", ".index"))} == set()
    assert rows(ann, table) == before == rows(ben, table)
    assert "ZORDER_" not in "".join(ben.sql(f"RESTORE TABLE parquet.`{table}` TO BEFORE REWRITE 1"))
    assert rows(ann, table) == before


def test_kept_files_that_one_has_closed_are_no_obstacle(table: Path, ann: SparkSql, ben: SparkSql) -> None:
    optimize(ann, table, "keep_old = '1 hour'")
    before = rows(ann, table)
    [kept] = (table / "_zorder" / "replaced").glob("1.*[!n]")
    kept.chmod(0o700)
    for keep in ("keep_old = '1 second'", "keep_old = '1 hour'"):
        reordered = statement(table, keep).replace("(a, b)", "(b, a)" if "second" in keep else "(a, b)")
        assert "ZORDER_" not in "".join(ben.sql(reordered))
    named = [line.split("\t") for line in ben.sql(f"DESCRIBE REWRITES parquet.`{table}`")]
    assert [(row[0], row[3], row[-1]) for row in named if row[0] == "1"] == [("1", "12", "false")]
    restored = ben.sql(f"RESTORE TABLE parquet.`{table}` TO BEFORE REWRITE 1")
    assert "ZORDER_ACCESS_DENIED" in "".join(restored)
    assert "ZORDER_CANNOT_DELETE" in "".join(ben.sql(f"VACUUM parquet.`{table}` REPLACED FILES RETAIN 0 HOURS"))
    assert [file.name for file in kept.parent.iterdir() if file.is_dir()] == [kept.name]
    assert rows(ann, table) == before == rows(ben, table)
    assert "ZORDER_" not in "".join(ann.sql(f"VACUUM parquet.`{table}` REPLACED FILES RETAIN 0 HOURS"))
    assert not kept.exists()


def test_a_folder_of_kept_files_that_one_may_not_list_refuses_to_keep_more(
    table: Path, ann: SparkSql, ben: SparkSql
) -> None:
    optimize(ann, table, "keep_old = '1 hour'")
    (table / "_zorder" / "replaced").chmod(0o2730)
    before, there = state(table), rows(ann, table)
    assert "[ZORDER_NO_READ_PERMISSION" in optimize(ben, table, "mode = 'full'", "keep_old = '1 hour'")
    assert state(table) == before
    assert rows(ann, table) == there
    # What keeps nothing goes on, and leaves what is there.
    kept = [file for file in state(table) if "/replaced/" in str(file)]
    assert "ZORDER_" not in optimize(ben, table, "mode = 'full'")
    assert "ZORDER_" not in "".join(ben.sql(f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS"))
    assert kept == [file for file in state(table) if "/replaced/" in str(file)]
    assert "[ZORDER_ACCESS_DENIED" in "".join(ben.sql(f"VACUUM parquet.`{table}` REPLACED FILES"))
    assert rows(ann, table) == there


def test_a_folder_that_one_may_not_enter_is_named(table: Path, ben: SparkSql) -> None:
    (table / "p=1").chmod(0o700)
    before = state(table)
    for words in (
        statement(table),
        f"ANALYZE TABLE parquet.`{table}` COMPUTE FILE STATISTICS",
        f"FSCK REPAIR TABLE parquet.`{table}` DRY RUN",
    ):
        said = "".join(ben.sql(words))
        assert "ZORDER_ACCESS_DENIED" in said, said
        assert "p=1" in said, said
    assert {path: kept for path, kept in state(table).items() if "_zorder" not in path} == before
