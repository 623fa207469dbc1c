// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Max, Min}
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.types.StructType

/**
 * Stands among the filters of a scan for the bounds that the other side of a join above gives its keys: rows of which the
 * key is outside of them do not come out of that join. It is no filter of rows.
 *
 * @param left
 *   the key, over the scan's columns
 * @param right
 *   a subquery for a struct of the fields `least` and `greatest`, or one of them; NULL where no row has a match
 */
final case class BetweenKeys(left: Expression, right: Expression)
    extends BinaryExpression
    with Predicate
    with Unevaluable {

  override def nullable: Boolean = false

  override def toString: String = s"$left BETWEEN (keys of join)"

  /** The filter with the values of its subquery, which must be known. */
  private[scan] def withValues: Expression = right.asInstanceOf[ScalarSubquery].toLiteral match {
    case Literal(bounds: InternalRow, fields: StructType) =>
      def of(name: String) =
        Some(fields.fieldNames.indexOf(name)).filter(_ >= 0).map(bounds.get(_, left.dataType))
      BetweenKeys.of(left, of(BetweenKeys.Least), of(BetweenKeys.Greatest))
    case _ => Literal.FalseLiteral
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): BetweenKeys =
    copy(newLeft, newRight)
}

object BetweenKeys {

  private val Least = "least"
  private val Greatest = "greatest"

  /** The least value of one expression, and the greatest of another, of all rows, for an aggregate. */
  def bounds(least: Option[Expression], greatest: Option[Expression]): Expression = CreateNamedStruct(
    least.toSeq.flatMap(e => Seq(Literal(Least), Min(e).toAggregateExpression())) ++
      greatest.toSeq.flatMap(e => Seq(Literal(Greatest), Max(e).toAggregateExpression())))

  /** The filter by bounds of which each may be none, or NULL. */
  private[scan] def of(key: Expression, least: Option[Any], greatest: Option[Any]): Expression =
    if ((least ++ greatest).exists(_ == null)) Literal.FalseLiteral
    else {
      val from = least.map(value => GreaterThanOrEqual(key, Literal(value, key.dataType)))
      val to = greatest.map(value => LessThanOrEqual(key, Literal(value, key.dataType)))
      (from ++ to).reduce[Expression](And(_, _))
    }
}
