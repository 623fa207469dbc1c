// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.BooleanType

/** Checks a resolved WHERE clause, which has to choose whole partitions unless the statement asks for files. */
private[command] object PartitionPredicate {

  /** @throws ZOrderAnalysisException where it does not */
  def check(
      predicate: Expression,
      statement: String,
      table: String,
      partitionColumns: Seq[String],
      choosesFiles: Boolean): Unit = {
    val data = predicate.references.toSeq.map(_.name).filterNot(partitionColumns.contains)
    if (SubqueryExpression.hasSubquery(predicate)) throw ZOrderErrors.predicateWithSubquery(statement, table)
    if (data.nonEmpty && !choosesFiles)
      throw ZOrderErrors.predicateOnDataColumn(
        statement,
        table,
        data.map(quoteIfNeeded),
        partitionColumns.map(quoteIfNeeded))
    if (!predicate.deterministic) throw ZOrderErrors.predicateNotDeterministic(statement, table, predicate.sql)
    if (predicate.dataType != BooleanType)
      throw ZOrderErrors.predicateNotBoolean(statement, table, predicate.sql, predicate.dataType)
  }
}
