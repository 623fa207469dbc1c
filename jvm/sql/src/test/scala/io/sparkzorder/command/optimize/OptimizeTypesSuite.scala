// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongSuite, TestedSpark}
import io.sparkzorder.column.{NewerTypes, OrderableTypes}

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.types._

/** Columns of every type that Delta stores, to z-order by and to carry along. */
class OptimizeTypesSuite extends QueryTest with DeltaSession with LongSuite {

  override protected def generatedCode: Boolean = true

  // Delta has no intervals and no TIME.
  private val types = OrderableTypes.all.filter {
    case _: YearMonthIntervalType | _: DayTimeIntervalType => false
    case other => !NewerTypes.isTime(other)
  }

  private val rows = 300

  private def createTypes(): Unit = {
    val columns = types.zipWithIndex.map { case (t, i) => OrderableTypes.values(t, rows, seed = 71 + i) }
    val schema = StructType(types.zipWithIndex.map { case (t, i) => StructField(s"c$i", t) })
    val data = (0 until rows).map(r => Row.fromSeq(columns.map(_(r))))
    createTable("t", spark.createDataFrame(sparkContext.parallelize(data, 2), schema))
  }

  /** Several statements over one table, so that each type is the first of two columns once. */
  test("every type: same rows, files in curve order, sensible statistics") {
    withTable("t") {
      val settings = Seq(
        // Collations are behind it.
        "spark.databricks.delta.schema.typeCheck.enabled" -> "false",
        "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled" -> "false"
      )
      withSQLConf(settings: _*) {
        createTypes()
        types.indices.grouped(4).foreach { group =>
          val columns = group.map(i => s"c$i")
          keepingRows("t")(optimize("t", columns.mkString(", "), files = 4))
          requireCurveOrder("t", columns: _*)
        }
        for (i <- types.indices if i % 6 == 4) {
          keepingRows("t")(optimize("t", s"c$i", files = 4))
          requireCurveOrder("t", s"c$i")
        }
        val all = types.indices.take(16).map(i => s"c$i")
        keepingRows("t")(optimize("t", all.mkString(", "), files = 4))
        requireCurveOrder("t", all: _*)
      }
    }
  }

  test("bytes that are no text, for which Delta's log has others that lie the other way round") {
    withTable("t") {
      sql("CREATE TABLE t (id INT, s STRING) USING delta")
      sql("INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES (1, '\ud83d\ude00'), (2, CAST(X'FF' AS STRING))")
      val before = sql("SELECT id, hex(s) FROM t").collect().toSeq
      for (statement <- Seq("DESCRIBE LAYOUT t ON (s)", "SELECT * FROM describe_layout('t', array('s'))"))
        assert(sql(statement).collect().length === 1)
      for (rest <- Seq("DRY RUN", "")) sql(s"OPTIMIZE t ZORDER BY (s) $rest").collect()
      checkAnswer(sql("SELECT id, hex(s) FROM t"), before)
    }
  }

  test("maps, arrays, structs and variants are carried along") {
    withTable("t") {
      // Spark 4.0 stores a field of type VOID and cannot read the rows then.
      val nothing = if (TestedSpark.isAtLeast("4.1")) "NULL" else "CAST(NULL AS INT)"
      createTable(
        "t",
        events(500).selectExpr(
          "*",
          "map(c, array(a, NULL), 'none', NULL) AS m",
          s"struct(map(a, c) AS m, array(struct(a, b)) AS l, $nothing AS n) AS s",
          "parse_json(concat('{\"a\": ', a, ', \"c\": [\"', c, '\"]}')) AS v",
          "if(id % 3 = 0, NULL, array(parse_json('1'))) AS vs",
          "to_binary(c, 'utf-8') AS bytes"
        )
      )
      def variants = spark.table("t").selectExpr("id", "to_json(v)", "to_json(vs)").collect().toSeq
      val before = variants
      val columns = spark.table("t").columns.filterNot(Set("v", "vs"))
      val others = spark.table("t").select(columns.head, columns.tail.toSeq: _*).collect().toSeq
      optimize("t", "a, b", files = 4)
      requireCurveOrder("t", "a", "b")
      checkAnswer(spark.table("t").selectExpr("id", "to_json(v)", "to_json(vs)"), before)
      checkAnswer(spark.table("t").select(columns.head, columns.tail.toSeq: _*), others)
    }
  }

  test("a value shared by more rows than a file holds, in rows that cannot be hashed") {
    withTable("t") {
      createTable("t", spark.range(1000).selectExpr("1 AS k", "map(id, id) AS m", "parse_json('1') AS v"))
      val before = spark.table("t").selectExpr("k", "map_keys(m)").collect().toSeq
      optimize("t", "k", files = 4)
      checkAnswer(spark.table("t").selectExpr("k", "map_keys(m)"), before)
    }
  }
}
