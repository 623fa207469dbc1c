// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser

/** Spark's parser, which remembers the statements that it was given. */
class RecordingParser extends SparkSqlParser {
  var statements: Seq[String] = Nil
  var withParameters: Seq[(String, ParameterContext)] = Nil

  override def parsePlan(sqlText: String): LogicalPlan = {
    statements :+= sqlText
    super.parsePlan(sqlText)
  }
}
