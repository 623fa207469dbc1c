// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{AliasHelper, EvalHelper, Expression}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types.StringType

/** Names that are computed, in `IDENTIFIER(...)`, as a private method of Spark 4.0 finds them. */
private[command] object NameExpressions extends AliasHelper with EvalHelper {

  /** Parts of the name that a constant expression evaluates to; None if analysis must refuse it. */
  def parts(name: Expression): Option[Seq[String]] = Try {
    val constant = trimAliases(prepareForEval(name))
    if (!constant.foldable || constant.dataType != StringType) None
    else Option(constant.eval()).map(text => CatalystSqlParser.parseMultipartIdentifier(text.toString))
  }.toOption.flatten
}
