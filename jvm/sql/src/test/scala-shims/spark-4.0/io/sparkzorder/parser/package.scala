// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{BindParameters, NameParameterizedQuery, Parameter, PosParameterizedQuery}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.PARAMETER

package object parser {

  /** What Spark 4.0 does with a text and its parameters, by the method of Spark 4.1. */
  implicit class ParserOfTests(parser: ParserInterface) {

    def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan = {
      val plan = parser.parsePlan(sqlText)
      if (!plan.containsPattern(PARAMETER)) plan
      else {
        val bound = BindParameters(context match {
          case NamedParameterContext(values) => NameParameterizedQuery(plan, values.keys.toSeq, values.values.toSeq)
          case PositionalParameterContext(values) => PosParameterizedQuery(plan, values)
        })
        bound.expressions.flatMap(_.collectFirst { case p: Parameter => p }).foreach { left =>
          throw new AnalysisException("UNBOUND_SQL_PARAMETER", Map("name" -> left.name))
        }
        bound
      }
    }
  }
}
