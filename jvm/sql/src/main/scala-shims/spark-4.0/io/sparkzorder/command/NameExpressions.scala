// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{AliasHelper, EvalHelper, Expression}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types.StringType

/** Names that are computed, in `IDENTIFIER(...)`, as a private method of Spark 4.0 finds them. */
private[command] object NameExpressions extends AliasHelper with EvalHelper {

  /** The parts of a name that a constant expression tells; None where analysis will find that it tells none. */
  def parts(name: Expression): Option[Seq[String]] = Try {
    val constant = trimAliases(prepareForEval(name))
    if (!constant.foldable || constant.dataType != StringType) None
    else Option(constant.eval()).map(text => CatalystSqlParser.parseMultipartIdentifier(text.toString))
  }.toOption.flatten
}
