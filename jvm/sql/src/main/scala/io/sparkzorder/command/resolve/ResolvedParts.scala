// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ReadableTable

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The columns and the predicate of a statement once Spark has resolved them. */
private[command] object ResolvedParts {

  /** Whether all names are resolved; a subquery is refused whether or not its own names can be. */
  def areIn(plan: LogicalPlan, predicate: Option[Expression], found: ResolvedTable, statement: String): Boolean = {
    if (predicate.exists(SubqueryExpression.hasSubquery))
      throw ZOrderErrors.predicateWithSubquery(statement, found.name)
    plan.expressions.forall(_.resolved)
  }

  /** @throws ZOrderAnalysisException for a predicate that chooses no partitions, or files where `choosesFiles` */
  def checked(
      predicate: Expression,
      statement: String,
      table: ReadableTable,
      found: ResolvedTable,
      choosesFiles: Boolean): Expression = {
    val own = CharPadding.asRead(spelled(predicate, found))
    PartitionPredicate.check(own, statement, table.name, table.partitionColumns, choosesFiles)
    own
  }

  /** The expression with columns in the table's spelling: Spark resolves a name but keeps the case in which it came. */
  def spelled(expression: Expression, found: ResolvedTable): Expression = expression.transform {
    case a: AttributeReference => found.output.find(_.exprId == a.exprId).getOrElse(a)
  }
}
