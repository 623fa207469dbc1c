# SPDX-License-Identifier: Apache-2.0

"""Parquet tables of a Hive metastore (Derby, in the driver), from CREATE TABLE to incremental runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from launching import FILES_READ_BY, ZORDER, answers, settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

EVENTS = "SELECT CAST(id * 7919 % 1000 AS INT), CAST(id * 31 % 997 AS DOUBLE), concat('é', id % 50)"
DIGEST = "SELECT count(*), CAST(sum(CAST(xxhash64(*) AS DECIMAL(38))) AS STRING) FROM {table}"
ORDER = "ZORDER BY (a, B) OPTIONS (target_file_size = '3k')"
AGAIN = "ZORDER BY (a, B) OPTIONS (target_file_size = '3k', mode = 'incremental')"

TABLES = {
    "hive": "STORED AS PARQUET",
    "native": "USING parquet",
}


class Session:
    """Collects statements for one new session; afterwards has their answers by name."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._questions: list[tuple[str, Any]] = []
        self._answers: dict[str, Any] = {}

    def say(self, *statements: str) -> None:
        for statement in statements:
            self.ask("", statement)

    def ask(self, name: str, statement: str) -> None:
        self._names.append(name)
        self._questions.append((statement, None))

    def run(self, folder: Path, conf: dict[str, str]) -> None:
        replies = answers(folder, conf, self._questions)
        for name, (statement, _), reply in zip(self._names, self._questions, replies, strict=True):
            assert not (isinstance(reply, dict) and "condition" in reply), f"{statement}: {reply}"
            if name:
                self._answers[name] = reply

    def __getitem__(self, name: str) -> Any:
        return self._answers[name]


def insert(table: str, day: str, first: int, end: int) -> str:
    # Four files in each partition.
    return f"INSERT INTO {table} PARTITION (Day = '{day}') {EVENTS} FROM range({first}, {end}, 1, 4)"


def whole_life(session: Session, table: str, form: str, folder: Path) -> None:
    session.say(
        f"CREATE TABLE {table} (A INT, b DOUBLE, C STRING) PARTITIONED BY (Day STRING) {form}"
        if "STORED" in form
        else f"CREATE TABLE {table} (A INT, b DOUBLE, C STRING, Day STRING) {form} PARTITIONED BY (Day)",
        insert(table, "2024-01-01", 0, 600),
        insert(table, "a b/c=d", 600, 1200),
    )

    def state(name: str) -> None:
        session.ask(f"{table} {name} rows", DIGEST.format(table=table))
        if name not in ("dry", "where"):
            session.ask(f"{table} {name} files", f"{FILES_READ_BY}SELECT * FROM {table} WHERE a = 77 AND day > '2'")

    state("new")
    session.ask(f"{table} analyzed", f"ANALYZE TABLE {table} COMPUTE FILE STATISTICS")
    session.ask(f"{table} dry", f"OPTIMIZE {table} {ORDER} DRY RUN")
    state("dry")
    session.ask(f"{table} where", f"OPTIMIZE {table} WHERE DAY = '2024-01-01' {ORDER}")
    state("where")
    session.ask(f"{table} full", f"OPTIMIZE {table} {ORDER}")
    state("full")
    session.ask(f"{table} idle", f"OPTIMIZE {table} {AGAIN}")
    # A partition that another writer has written, found by its folder, a new column, and one more partition by name.
    session.say(
        f"INSERT OVERWRITE DIRECTORY '{folder}/warehouse/{table}/day=found' USING parquet "
        f"SELECT /*+ REPARTITION(2) */ CAST(id AS INT) AS A, id / 2D AS b, 'x' AS C FROM range(300)",
        f"MSCK REPAIR TABLE {table}",
        f"ALTER TABLE {table} ADD COLUMNS (Extra BIGINT)",
        f"ALTER TABLE {table} ADD PARTITION (day = 'empty')",
        f"INSERT INTO {table} PARTITION (day = 'more') SELECT CAST(id AS INT), 1D, 'm', id FROM range(0, 300, 1, 2)",
    )
    state("grown")
    session.ask(f"{table} incremental", f"OPTIMIZE {table} {AGAIN}")
    state("incremental")
    session.ask(f"{table} extra", f"SELECT count(Extra), sum(extra) FROM {table} WHERE day IN ('more', 'found')")
    session.ask(f"{table} partitions", f"SHOW PARTITIONS {table}")
    # Rows of a partition that was dropped must not come back, nor those of a recreated table.
    session.say(f"ALTER TABLE {table} DROP PARTITION (day = 'more')")
    session.ask(f"{table} dropped", f"OPTIMIZE {table} {AGAIN}")
    session.ask(f"{table} dropped days", f"SELECT DISTINCT day FROM {table}")


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("hive")
    conf = settings(folder, [ZORDER], delta=False) | {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
        # Each statement runs once: less than the compiling of its code takes.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    conf["spark.driver.extraJavaOptions"] += " -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
    session = Session()
    for table, form in TABLES.items():
        whole_life(session, table, form, folder)
    session.say(
        "CREATE TABLE flat (Id BIGINT, X INT) STORED AS PARQUET",
        "INSERT INTO flat SELECT id, CAST(id * 7919 % 1000 AS INT) FROM range(0, 1000, 1, 4)",
    )
    session.ask("flat before", DIGEST.format(table="flat"))
    session.ask("flat full", "OPTIMIZE default.FLAT ZORDER BY (x, id) OPTIONS (target_file_size = '2k')")
    session.ask("flat after", DIGEST.format(table="flat"))
    session.ask("flat files", f"{FILES_READ_BY}SELECT * FROM flat WHERE x = 5")
    session.say("SET spark.sql.hive.convertMetastoreParquet = false")
    for table in (*TABLES, "flat"):
        session.ask(f"{table} by Hive", DIGEST.format(table=table))
    session.run(folder, conf)
    return session


def metrics(hive: Session, name: str) -> dict[str, Any]:
    """The metrics of an OPTIMIZE: counts of files added and removed, and of partitions."""
    ((_, values, _, _),) = hive[name]
    return {"added": values[0], "removed": values[1], "partitions": values[4]}


@pytest.mark.parametrize("table", TABLES)
def test_rows_stay(hive: Session, table: str) -> None:
    for state in ("dry", "where", "full"):
        assert hive[f"{table} {state} rows"] == hive[f"{table} new rows"]
    assert hive[f"{table} new rows"][0][0] == 1200
    assert hive[f"{table} incremental rows"] == hive[f"{table} grown rows"]
    assert hive[f"{table} grown rows"][0][0] == 1800
    assert hive[f"{table} extra"] == [[300, sum(range(300))]]
    assert sorted(row[0] for row in hive[f"{table} dropped days"]) == ["2024-01-01", "a b/c=d", "found"]


@pytest.mark.parametrize("table", TABLES)
def test_statements_change_what_they_say(hive: Session, table: str) -> None:
    assert hive[f"{table} analyzed"][0][1:] == [8, 8, ["A", "b", "C"]]
    assert metrics(hive, f"{table} where")["removed"] == 4
    assert metrics(hive, f"{table} where")["partitions"] == 1
    full = metrics(hive, f"{table} full")
    assert (full["removed"], full["partitions"]) == (4 + metrics(hive, f"{table} where")["added"], 2)
    assert metrics(hive, f"{table} idle") == {"added": 0, "removed": 0, "partitions": 0}
    grown = metrics(hive, f"{table} incremental")
    # Those of the partitions that came, and none of the others.
    assert (grown["removed"], grown["partitions"]) == (4, 2)
    partitions = sorted(row[0].lower() for row in hive[f"{table} partitions"])
    assert partitions == ["day=2024-01-01", "day=a b%2fc%3dd", "day=empty", "day=found", "day=more"]


@pytest.mark.parametrize("table", TABLES)
def test_queries_by_name_skip_files(hive: Session, table: str) -> None:
    assert hive[f"{table} new files"] == [[8]]
    assert hive[f"{table} full files"][0][0] * 2 <= metrics(hive, f"{table} full")["added"]
    assert hive[f"{table} incremental files"][0][0] < hive[f"{table} grown files"][0][0]


def test_a_table_without_partitions(hive: Session) -> None:
    assert hive["flat before"] == hive["flat after"]
    assert hive["flat files"][0][0] * 2 <= metrics(hive, "flat full")["added"]


def test_hives_own_reader_finds_the_same_rows(hive: Session) -> None:
    assert hive["flat by Hive"] == hive["flat after"]
    for table in TABLES:
        assert hive[f"{table} by Hive"][0][0] == 1500
