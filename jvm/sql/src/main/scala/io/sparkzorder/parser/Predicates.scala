// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.analysis.MultiAlias
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}

/** What a statement has after WHERE. */
private[sparkzorder] object Predicates {

  /** The name that Spark took a word too much for, such as DRYRUN after `day = 1`; None where there is no such word. */
  def nameOf(parsed: Expression): Option[String] = parsed match {
    case named: Alias => Some(named.name)
    case named: MultiAlias => named.names.headOption
    case _ => None
  }
}
