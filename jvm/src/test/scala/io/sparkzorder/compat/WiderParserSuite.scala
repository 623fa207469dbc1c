// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.config.Versions
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser

/** An interface of parsers that can do more than those of this Spark. */
trait ParserOfSparkToCome extends ParserInterface {
  def statements(sqlText: String, limit: Long, last: Int): Seq[String]
  def cost(sqlText: String): Double
  def refusing(): Unit
  def hasBody: Boolean = false
  def parsePlanOften(sqlText: String, times: Long): LogicalPlan
}

class ParserToCome extends SparkSqlParser with ParserOfSparkToCome {
  override def statements(sqlText: String, limit: Long, last: Int): Seq[String] = Seq(sqlText, s"$limit $last")
  override def cost(sqlText: String): Double = sqlText.length / 2.0
  override def refusing(): Unit = throw new AnalysisException("_LEGACY_ERROR_TEMP_0035", Map("message" -> "no"))
  override def hasBody: Boolean = true
  override def parsePlanOften(sqlText: String, times: Long): LogicalPlan = parsePlan(sqlText)
}

class WiderParserSuite extends SparkFunSuite {

  private val refusal =
    new Refusal(() =>
      ZOrderErrors.otherSpark("This statement", "5.0.0", Versions("spark.minor"), "spark-zorder_5.0_2.13"))

  test("methods of parsers to come are handed on, and what they throw is not wrapped") {
    val parser = WiderParser(classOf[ParserOfSparkToCome], new ParserToCome, refusal).asInstanceOf[ParserOfSparkToCome]
    assert(parser.statements("a", 1L << 40, 7) === Seq("a", "1099511627776 7"))
    assert(parser.cost("abc") === 1.5 && parser.hasBody)
    intercept[AnalysisException](parser.refusing())
    assert(parser.parseExpression("a") === UnresolvedAttribute("a"))
    assert(intercept[Exception](parser.parsePlan("OPTIMIZE t ZORDER BY (a)")).getMessage.contains("ZORDER_OTHER_SPARK"))
  }

  test("another way to parse statements refuses ours, and clauses of ours that the parser does not know") {
    val parser = WiderParser(classOf[ParserOfSparkToCome], new ParserToCome, refusal).asInstanceOf[ParserOfSparkToCome]
    def error(sqlText: String): String = intercept[Exception](parser.parsePlanOften(sqlText, 1L << 40)).getMessage
    assert(parser.parsePlanOften("SELECT 1", 2).toString === parser.parsePlan("SELECT 1").toString)
    assert(error("OPTIMIZE t ZORDER BY (a)").contains("ZORDER_OTHER_SPARK"))
    assert(error("CREATE TABLE t (a INT) USING parquet SORT BY (a)").contains("ZORDER_OTHER_SPARK"))
    assert(error("SELEC 1").contains("PARSE_SYNTAX_ERROR"))
  }

  test("what does not link is done without") {
    assert(OtherSpark.ifLinked("without")(throw new NoSuchMethodError("gone")) === "without")
    assert(OtherSpark.ifLinked("without")("with") === "with")
  }

  test("the sentence for a Spark of another Scala") {
    assert(
      UnlinkedSpark.message(UnlinkedSpark.built()).contains(s"is for Spark ${Versions("spark.minor")} with Scala 2.13"))
  }
}
