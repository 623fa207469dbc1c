// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.DeltaSession

import org.apache.spark.SparkConf
import org.apache.spark.sql.{AnalysisException, QueryTest}

/** Tables with an order, and what the tests of its statements ask of them. */
trait TableOrderSession extends DeltaSession { self: QueryTest =>

  // Delta then takes any name of a column.
  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.databricks.delta.properties.defaults.columnMapping.mode", "name")

  protected val formats = Seq("parquet", "delta")

  protected val columns =
    "(id BIGINT, A INT, b STRING, c CHAR(3), s STRUCT<X: INT, m: MAP<INT, INT>>, m MAP<INT, INT>, `x,y` INT, `p.q` INT, day DATE)"

  protected val sortable = "id, A, b, c, s, m, `x,y`, `p.q`"

  protected def withSorted(format: String, clause: String)(body: => Unit): Unit = withTable("t") {
    sql(s"CREATE TABLE t $columns USING $format PARTITIONED BY (day) $clause")
    body
  }

  protected def properties(table: String): Map[String, String] =
    sql(s"SHOW TBLPROPERTIES $table").collect().map(r => r.getString(0) -> r.getString(1)).toMap
      .filter(_._1.startsWith("sort."))

  protected def order(columns: String, kind: String): Map[String, String] =
    Map("sort.columns" -> columns, "sort.order" -> kind)

  protected def refused(
      statement: String,
      condition: String,
      state: String,
      parameters: (String, String)*): Unit = {
    val e = intercept[AnalysisException](sql(statement))
    assert((e.getCondition, e.getSqlState) === ((condition, state)), s"$statement: ${e.getMessage}")
    parameters.foreach { case (name, value) => assert(e.getMessageParameters.get(name) === value, statement) }
    // Of EXPLAIN and CLUSTER BY together Delta's parser makes PARTITIONED BY.
    if (!statement.contains("CLUSTER BY")) explained(statement, condition)
  }

  private def explained(statement: String, condition: String): Unit = {
    val plan = sql(s"EXPLAIN $statement").collect().map(_.getString(0)).mkString("\n")
    assert(plan.contains(s"[$condition]"), s"$statement: $plan")
  }
}
