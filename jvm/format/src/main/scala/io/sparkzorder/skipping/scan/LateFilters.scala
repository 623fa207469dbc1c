// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.execution.{InSubqueryExec, ScalarSubquery}

/** Filters over subqueries, which have values only when the scan runs. */
private[skipping] object LateFilters {

  def isLate(filter: Expression): Boolean = filter.exists(_.isInstanceOf[PlanExpression[_]])

  /** Whether a filter is none of the query's own. */
  def isOurs(filter: Expression): Boolean = isByKeys(filter) || ScanNotes.isNote(filter)

  /** Whether a filter is by the keys of a join. */
  def isByKeys(filter: Expression): Boolean = filter.exists(_.isInstanceOf[InSubqueryExec])

  /**
   * A filter with the values of its subqueries; None while one has none.
   *
   * @param maxKeys
   *   the number of keys of a join of which each is named; of more the least and the greatest are
   */
  def withValues(filter: Expression, maxKeys: Int = InStatistics): Option[Expression] =
    Option.when(!filter.exists(isPending))(filter.transform { case DynamicPruningExpression(child) =>
      child
    }.transform {
      case subquery: ScalarSubquery => subquery.toLiteral
      case keys: InSubqueryExec => in(keys.child, keys.values().get, maxKeys)
    })

  private def isPending(expression: Expression): Boolean = expression match {
    case keys: InSubqueryExec => keys.values().isEmpty
    case subquery: ScalarSubquery => !hasValue(subquery)
    case _: PlanExpression[_] => true
    case _ => false
  }

  // Spark does not tell otherwise.
  private def hasValue(subquery: ScalarSubquery): Boolean =
    try subquery.toLiteral != null
    catch { case _: IllegalArgumentException => false }

  private def in(key: Expression, keys: Array[Any], maxKeys: Int): Expression = {
    val values = keys.filter(_ != null)
    if (values.isEmpty) Literal.FalseLiteral
    else if (values.length <= maxKeys) InSet(key, values.toSet)
    else {
      val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(key.dataType)
      And(
        GreaterThanOrEqual(key, Literal(values.min(order), key.dataType)),
        LessThanOrEqual(key, Literal(values.max(order), key.dataType)))
    }
  }

  // They are sorted, and looked up by halving; to sort more of them takes longer than it saves.
  private val InStatistics = 100000

  /** Keys that are handed to the readers of files, with every task. */
  val InTasks = 1000
}
