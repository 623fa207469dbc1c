// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.IdentifierResolution
import org.apache.spark.sql.catalyst.expressions.Expression

/** Names that are computed, in `IDENTIFIER(...)`. */
private[command] object NameExpressions {

  /** The parts of a name that a constant expression tells; None where analysis will find that it tells none. */
  def parts(name: Expression): Option[Seq[String]] = Try(IdentifierResolution.evalIdentifierExpr(name)).toOption
}
