// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.{AfterDelta, BeforeDelta, BesideDelta, LongSuite}

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}

/** The functions beside Delta's extension and over Delta tables. */
abstract class SqlFunctionsWithDeltaSuite extends QueryTest with BesideDelta {

  test("ids over a Delta table, written to another one") {
    withTable("source", "target") {
      sql("CREATE TABLE source USING delta AS SELECT id, id % 10 AS x FROM range(0, 100, 1, 4)")
      val ids = "SELECT id, range_partition_id(id, 4) AS r, hex(interleave_bits(int(x), range_partition_id(x, 5))) AS z"
      sql(s"CREATE TABLE target USING delta AS $ids FROM source WHERE id < 40")
      sql(s"INSERT INTO target $ids FROM source WHERE id < 40")
      checkAnswer(
        sql("SELECT r, count(*), min(id), max(id) FROM target GROUP BY r"),
        (0 until 4).map(i => Row(i, 20, i * 10, i * 10 + 9)))
      checkAnswer(sql("SELECT DISTINCT z FROM target WHERE id = 9"), Row("0000000000000092"))
      sql("MERGE INTO target USING (SELECT id, range_partition_id(id, 2) AS r FROM source) s ON target.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET r = s.r")
      checkAnswer(sql("SELECT DISTINCT r FROM target"), Row(0))
    }
  }

  test("a call directly in DELETE or UPDATE is refused and nothing is written") {
    withTable("kept") {
      sql("CREATE TABLE kept USING delta AS SELECT id, int(id) AS r FROM range(10)")
      for (statement <- Seq(
          "DELETE FROM kept WHERE range_partition_id(id, 2) = 0",
          "UPDATE kept SET r = range_partition_id(id, 2)",
          "MERGE INTO kept USING (SELECT 1 AS k) ON id = k WHEN MATCHED THEN UPDATE SET r = range_partition_id(id, 2)"
        )) {
        val e = intercept[AnalysisException](sql(statement))
        assert(e.getCondition === "ZORDER_RANGE_INPUT.UNSUPPORTED_STATEMENT", statement)
      }
      checkAnswer(spark.table("kept"), (0 until 10).map(i => Row(i, i)))
    }
  }

  test("parameters and DESCRIBE FUNCTION") {
    checkAnswer(spark.sql("SELECT max(range_partition_id(id, 3)) FROM range(9)"), Row(2))
    assert(sql("DESCRIBE FUNCTION EXTENDED interleave_bits").count() > 3)
  }
}

class SqlFunctionsBeforeDeltaSuite extends SqlFunctionsWithDeltaSuite with BeforeDelta with LongSuite

class SqlFunctionsAfterDeltaSuite extends SqlFunctionsWithDeltaSuite with AfterDelta with LongSuite {

  override protected def inShortRing: Set[String] = Set("parameters and DESCRIBE FUNCTION")
}
