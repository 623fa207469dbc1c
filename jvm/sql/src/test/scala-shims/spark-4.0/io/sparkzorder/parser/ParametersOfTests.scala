// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.expressions.Expression

/** How parameters reach a parser of Spark 4.0: not at all. The analyzer puts them into the plan. */
object ParametersOfTests {
  val areKnownToParsers = false

  val haveTheirPlace = true
}

/** As Spark 4.1 has it. */
sealed trait ParameterContext

final case class NamedParameterContext(values: Map[String, Expression]) extends ParameterContext

final case class PositionalParameterContext(values: Seq[Expression]) extends ParameterContext
