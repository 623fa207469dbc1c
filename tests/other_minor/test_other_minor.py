# SPDX-License-Identifier: Apache-2.0

"""A jar on a Spark that it is not for: one error that names the artifact to take, and everything else as without it.

Needs environments of their own, each with a PySpark of another minor and this project's wheel, which `make other-minor`
makes. The Python package would take the jar that fits, or refuse: so the settings name that of the default minor, as a
command line with the wrong artifact does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import launching
from spark_zorder import (
    ZOrderSessionError,
    ZOrderTable,
    configure_spark_with_zorder,
    explain_skipping,
    functions,
    jar_path,
)
from spark_zorder._jars import bundled
from spark_zorder._versions import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MINOR = ".".join(pyspark.__version__.split(".")[:2])
ARTIFACT = f"spark-zorder_{MINOR}_2.13"
WRONG_JAR = jar_path(versions()["spark.minor"])

STATEMENTS = [
    "OPTIMIZE t ZORDER BY (id)",
    "OPTIMIZE t WHERE p = 1 ZORDER BY id OPTIONS (mode = 'incremental') DRY RUN",
    "OPTIMIZE parquet.`/no/such/folder` ZORDER BY (id)",
    "OPTIMIZE t ZORDER",
    "ALTER TABLE t SORT BY ZORDER (id, p)",
    "CREATE TABLE u (a INT, b INT) USING parquet SORT BY ZORDER (a, b)",
    "CREATE TABLE u USING parquet SORT BY (id) AS SELECT * FROM t SORT BY p",
    "EXPLAIN OPTIMIZE '/no/such/folder' ZORDER BY (id)",
    "DESCRIBE LAYOUT t",
    "ADVISE LAYOUT t FOR (SELECT * FROM t WHERE id = 1)",
    "SELECT * FROM describe_layout('t')",
    "SELECT * FROM layout_files('t')",
    "SELECT * FROM explain_skipping('SELECT * FROM t')",
    "DESCRIBE LAYOUT EXTENDED t ON (id)",
    "EXPLAIN SKIPPING SELECT * FROM t",
    "ANALYZE TABLE t COMPUTE FILE STATISTICS",
    "SELECT hilbert_index(4, 1, 2)",
    "SELECT interleave_bits(1, 2)",
    "SELECT zorder_key(1, 2)",
    "SELECT range_partition_id(id, 4) FROM t",
]


def test_a_spark_without_a_jar_is_refused_before_a_jvm_starts() -> None:
    # The first test here: the others need a JVM.
    assert SparkContext._jvm is None
    if MINOR in bundled():
        assert f"_{MINOR}_" in jar_path()
        return
    with pytest.raises(ZOrderSessionError, match=f"no jar for Spark {MINOR}") as caught:
        configure_spark_with_zorder(SparkSession.builder)
    assert (caught.value.getCondition(), SparkContext._jvm) == ("ZORDER_OTHER_SPARK", None)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    assert versions()["spark.minor"] != MINOR, "run these tests with a PySpark of another minor"
    builder = SparkSession.builder
    for key, value in launching.small(tmp_path_factory.mktemp("spark")).items():
        builder = builder.config(key, value)
    session = configure_spark_with_zorder(builder.config("spark.jars", WRONG_JAR)).getOrCreate()
    session.sql("CREATE TABLE t USING parquet AS SELECT id, id % 2 AS p FROM range(100)")
    yield session
    session.stop()


def refused(action: Callable[[], object]) -> None:
    with pytest.raises(PySparkException) as caught:
        action()
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("ZORDER_OTHER_SPARK", "56038")
    parameters = caught.value.getMessageParameters() or {}
    assert (parameters["running"], parameters["artifact"]) == (pyspark.__version__, ARTIFACT)
    assert parameters["builtFor"] == versions()["spark.minor"]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_and_function_names_the_artifact(spark: SparkSession, statement: str) -> None:
    refused(lambda: spark.sql(statement).collect())


def test_the_python_package_says_the_same(spark: SparkSession) -> None:
    table = ZOrderTable.forName(spark, "t")

    refused(lambda: table.optimize().executeZOrderBy("id").collect())
    refused(lambda: table.describeLayout("id").collect())
    refused(lambda: table.advise("id").collect())
    refused(lambda: table.computeFileStatistics().collect())
    refused(lambda: explain_skipping(spark, "SELECT 1").collect())
    refused(lambda: spark.range(3).select(functions.range_partition_id("id", 2)).collect())
    assert table.toDF().count() == 100


def test_ordinary_queries_work(spark: SparkSession) -> None:
    assert spark.sql("SELECT id FROM t WHERE id IN (:a, 7) ORDER BY id", {"a": 3}).collect() == [(3,), (7,)]
    assert spark.sql("SELECT count(*) FROM t WHERE id > ?", [89]).collect() == [(10,)]
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(100, 110)")
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    assert spark.table("t").join(spark.range(5), "id").agg(F.sum("id")).collect() == [(10,)]
    assert spark.sql("DESCRIBE t").count() == 2
    assert spark.sql("SELECT 1").collect() == [(1,)]
    with pytest.raises(PySparkException) as caught:
        spark.sql("SELEC 1")
    assert caught.value.getCondition() == "PARSE_SYNTAX_ERROR"


def test_what_only_parsers_of_newer_sparks_can_do_is_handed_on(spark: SparkSession) -> None:
    jvm = spark._jvm
    assert jvm is not None
    interface = jvm.java.lang.Class.forName("org.apache.spark.sql.catalyst.parser.ParserInterface")
    if "splitStatements" in [method.getName() for method in interface.getMethods()]:
        parser = spark._jsparkSession.sessionState().sqlParser()
        assert "SELECT 2" in parser.splitStatements("SELECT 1; SELECT 2").toString()


def test_the_session_says_it_once(tmp_path: Path) -> None:
    conf = {"spark.jars": WRONG_JAR, "spark.sql.extensions": launching.ZORDER, **launching.small(tmp_path)}
    conf["spark.log.level"] = "WARN"
    request, reply = tmp_path / "request.json", tmp_path / "reply.json"
    request.write_text(json.dumps({"conf": conf, "questions": [("SELECT 1", None), ("SELECT 2", None)]}))
    answering = Path(launching.__file__).with_name("answering.py")

    done = launching.run([sys.executable, str(answering), str(request), str(reply)], tmp_path)

    assert json.loads(reply.read_text()) == [[[1]], [[2]]]
    assert done.stderr.count(ARTIFACT) == 1
    assert not [word for word in ("NoSuchMethodError", "NoClassDefFoundError") if word in done.stderr]
