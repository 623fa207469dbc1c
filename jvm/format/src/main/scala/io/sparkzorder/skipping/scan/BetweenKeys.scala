// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Max, Min}
import org.apache.spark.sql.execution.ScalarSubquery

/**
 * Stands among the filters of a scan for the least and the greatest key of the other side of a join above: rows of which
 * the key is outside of them do not come out of that join. It is no filter of rows.
 *
 * @param left
 *   the key, over the scan's columns
 * @param right
 *   a subquery for a struct of the two; both are NULL where the other side has no key
 */
final case class BetweenKeys(left: Expression, right: Expression)
    extends BinaryExpression
    with Predicate
    with Unevaluable {

  override def nullable: Boolean = false

  override def toString: String = s"$left BETWEEN (keys of join)"

  /** The filter with the values of its subquery, which must be known. */
  private[scan] def withValues: Expression = right.asInstanceOf[ScalarSubquery].toLiteral match {
    case Literal(bounds: InternalRow, _) =>
      BetweenKeys.of(left, bounds.get(0, left.dataType), bounds.get(1, left.dataType))
    case _ => Literal.FalseLiteral
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): BetweenKeys =
    copy(newLeft, newRight)
}

object BetweenKeys {

  /** The least and the greatest value of `key` of all rows, for an aggregate. */
  def bounds(key: Expression): Expression =
    CreateNamedStruct(
      Seq(Literal("least"), Min(key).toAggregateExpression(), Literal("greatest"), Max(key).toAggregateExpression()))

  private[scan] def of(key: Expression, least: Any, greatest: Any): Expression =
    if (least == null || greatest == null) Literal.FalseLiteral
    else And(GreaterThanOrEqual(key, literal(key, least)), LessThanOrEqual(key, literal(key, greatest)))

  private def literal(key: Expression, value: Any): Literal = Literal(value, key.dataType)
}
