// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.config.Versions
import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.plan.{SqlFunctions, SqlTableFunctions}

import io.delta.sql.DeltaSparkSessionExtension

import org.apache.spark.sql.{QueryTest, Row, SparkSessionExtensions}

/** The extension as it is on a Spark that it was not built for. */
class OtherSparkExtension extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    new OtherSpark(SparkVersion("4.1.4")).inject(extensions)
}

/** What that extension does, whoever's extension comes before or after it. */
trait OnOtherSpark { self: QueryTest with ZOrderSharedSession =>

  private val statements = Seq(
    "OPTIMIZE t ZORDER BY (x)",
    "EXPLAIN OPTIMIZE t ZORDER BY (x) DRY RUN",
    "OPTIMIZE parquet.`/data/t` WHERE p = 1 ZORDER BY x",
    "DESCRIBE LAYOUT t",
    "EXPLAIN SKIPPING SELECT 1",
    "ANALYZE TABLE t COMPUTE FILE STATISTICS"
  )

  /** Runs `body`, which must fail with the one error that there is. */
  private def refused(what: String)(body: => Unit): Unit = {
    val error = intercept[ZOrderRuntimeException](body)
    val parameters = Map(
      "what" -> what,
      "running" -> "4.1.4",
      "builtFor" -> Versions("spark.minor"),
      "artifact" -> "spark-zorder_4.1_2.13")
    checkError(error, "ZORDER_OTHER_SPARK", Some("56038"), parameters)
  }

  for (statement <- statements)
    test(s"refused: $statement") {
      refused("This statement")(spark.sql(statement))
      refused("This statement")(spark.sql(statement, Map("a" -> 1)))
    }

  for (name <- SqlFunctions.all.map(_._1.funcName))
    test(s"refused: $name") {
      refused(s"The function $name")(spark.sql(s"SELECT $name(1, 2)"))
    }

  for (name <- SqlTableFunctions.all.map(_._1.funcName))
    test(s"refused: $name") {
      refused(s"The function $name")(spark.sql(s"SELECT * FROM $name('t')"))
    }

  test("all else is as ever") {
    withTable("other") {
      spark.sql("CREATE TABLE other USING parquet AS SELECT id AS x FROM range(3)")
      checkAnswer(spark.sql("SELECT x FROM other WHERE x = 1"), Row(1))
      assert(spark.sql("EXPLAIN SELECT 1").count() === 1)
      spark.sql("ANALYZE TABLE other COMPUTE STATISTICS")
      assert(intercept[Exception](spark.sql("SELEC 1")).getMessage.contains("PARSE_SYNTAX_ERROR"))
    }
  }
}

class OtherSparkSuite extends QueryTest with ZOrderSharedSession with OnOtherSpark {
  override protected def sessionExtensions: Seq[String] = Seq(classOf[OtherSparkExtension].getName)

  test("parameters of other statements") {
    checkAnswer(spark.sql("SELECT id FROM range(5) WHERE id > :x", Map("x" -> 3)), Row(4))
    checkAnswer(spark.sql("SELECT ?", Array(1)), Row(1))
  }

  test("the functions are those of the extension") {
    assert(SqlFunctions.all.map(_._1.funcName) === OtherSpark.Functions)
    assert(SqlTableFunctions.all.map(_._1.funcName) === OtherSpark.TableFunctions)
  }
}

/** With Delta's, which loses parameters with and without us (delta#7640). */
class OtherSparkWithDeltaSuite extends QueryTest with ZOrderSharedSession with OnOtherSpark {
  override protected def sessionExtensions: Seq[String] =
    Seq(classOf[DeltaSparkSessionExtension].getName, classOf[OtherSparkExtension].getName)
}
