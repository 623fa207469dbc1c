// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.column.{KeyType, LongKeyType}
import io.sparkzorder.expressions.SortKey

import org.apache.spark.sql.catalyst.expressions.{Attribute, Coalesce, Expression, Literal}
import org.apache.spark.sql.types.{BinaryType, StringType}

/** What the rows of a file are sorted by, where they come in blocks: a BIGINT, and a column among rows that share it. */
sealed private[move] trait BlockKey {

  /** The ordinal of the column, one of strings or bytes. */
  def tie: Option[Int]
}

private[move] object BlockKey {

  /** The curve position; of one column it is the same between two sampled values, so that the column decides then. */
  final case class Position(tie: Option[Int]) extends BlockKey

  /** @param value never NULL, over the columns of the rows; as good as what rows are sorted by */
  final case class Value(value: Expression) extends BlockKey {
    override def tie: Option[Int] = None
  }

  /**
   * @param inFile
   *   values by which rows are sorted within a file, as of [[ClusterRowsExec]]
   * @return
   *   None for what blocks cannot be sorted by
   */
  def of(inFile: Seq[Expression], output: Seq[Attribute]): Option[BlockKey] = inFile match {
    case Nil => Some(Position(None))
    case Seq(text: Attribute) if text.dataType == StringType || text.dataType == BinaryType =>
      Some(Position(Some(output.indexWhere(_.exprId == text.exprId))))
    case Seq(value) =>
      KeyType.of(value.dataType).collect { case keyType: LongKeyType =>
        // NULL is below every value.
        Value(Coalesce(Seq(SortKey(value, keyType), Literal(Long.MinValue))))
      }
    case _ => None
  }
}
