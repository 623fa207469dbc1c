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
 *   a subquery for a struct of the bounds of all keys of that join; NULL where they are not known
 * @param number
 *   the number of this key among them
 */
final case class BetweenKeys(left: Expression, right: Expression, number: Int)
    extends BinaryExpression
    with Predicate
    with Unevaluable {

  override def nullable: Boolean = false

  override def toString: String = s"$left BETWEEN (keys of join)"

  /** The filter with the values of its subquery, which must have run; None where they are not known. */
  private[scan] def withValues: Option[Expression] = right.asInstanceOf[ScalarSubquery].toLiteral match {
    case Literal(bounds: InternalRow, fields: StructType) =>
      def of(name: String) =
        Some(fields.fieldNames.indexOf(name)).filter(_ >= 0).map(bounds.get(_, left.dataType))
      Some(BetweenKeys.of(left, of(s"least$number"), of(s"greatest$number")))
    case _ => None
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): BetweenKeys =
    copy(left = newLeft, right = newRight)
}

object BetweenKeys {

  /** For an aggregate of all rows: of each key the least value of one expression, and the greatest of another. */
  def bounds(keys: Seq[(Option[Expression], Option[Expression])]): Expression =
    CreateNamedStruct(keys.zipWithIndex.flatMap { case ((least, greatest), number) =>
      least.toSeq.flatMap(e => Seq(Literal(s"least$number"), Min(e).toAggregateExpression())) ++
        greatest.toSeq.flatMap(e => Seq(Literal(s"greatest$number"), Max(e).toAggregateExpression()))
    })

  /** The filter by bounds of which each may be none, or NULL where no row of the other side can match. */
  private[scan] def of(key: Expression, least: Option[Any], greatest: Option[Any]): Expression =
    if ((least ++ greatest).exists(_ == null)) Literal.FalseLiteral
    else {
      val from = least.map(value => GreaterThanOrEqual(key, Literal(value, key.dataType)))
      val to = greatest.map(value => LessThanOrEqual(key, Literal(value, key.dataType)))
      (from ++ to).reduce[Expression](And(_, _))
    }
}
