// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.IdentifierResolution
import org.apache.spark.sql.catalyst.expressions.Expression

/** Names that are computed, in `IDENTIFIER(...)`. */
private[command] object NameExpressions {

  /** Parts of the name that a constant expression evaluates to; None if analysis must refuse it. */
  def parts(name: Expression): Option[Seq[String]] = Try(IdentifierResolution.evalIdentifierExpr(name)).toOption
}
