// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  FalseLiteral,
  GenerateUnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType, StructType}

/** The number of a row's table partition: its index in `partitions`. An INT, never NULL. */
case class PartitionOrdinal(children: Seq[Expression], partitions: PartitionNumbers) extends Expression {

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  override def toString: String = s"partition_ordinal(${children.mkString(", ")})"

  @transient private lazy val projection = UnsafeProjection.create(children)

  override def eval(input: InternalRow): Any = partitions.numberOf(projection(input))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val row = GenerateUnsafeProjection.createCode(ctx, children)
    val numbers = ctx.addReferenceObj("partitions", partitions)
    ev.copy(
      code = code"""
        ${row.code}
        final int ${ev.value} = $numbers.numberOf(${row.value});
      """,
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): PartitionOrdinal =
    copy(children = newChildren)
}

/**
 * Numbers the partitions of a table, 0 .. n-1 in the order given.
 *
 * @param partitions
 *   distinct partition values of `schema`, in Spark's internal form
 * @param others
 *   the number of all other partitions; None where there must be none
 */
final class PartitionNumbers(schema: StructType, partitions: IndexedSeq[InternalRow], others: Option[Int] = None)
    extends Serializable {

  private val rows: Array[UnsafeRow] = {
    val projection = UnsafeProjection.create(schema)
    partitions.map(p => projection(p).copy()).toArray
  }

  @transient private lazy val numbers = {
    val map = new java.util.HashMap[UnsafeRow, Integer](rows.length * 2)
    rows.indices.foreach(i => map.put(rows(i), i))
    map
  }

  // A file holds rows of one partition, so a row is nearly always of the partition of the row before it. Only a guess:
  // tasks that share this object may overwrite it, and each checks it against its own row.
  @transient private var guess = 0

  def size: Int = rows.length

  /**
   * @throws ZOrderRuntimeException
   *   if no such partition was planned for, and there are to be no others: moving the row anywhere would lose it
   */
  def numberOf(row: UnsafeRow): Int = {
    val likely = guess
    if (likely < rows.length && rows(likely) == row) likely
    else {
      val number = numbers.get(row)
      if (number == null)
        others.getOrElse(throw ZOrderErrors.unplannedPartition(row.toSeq(schema).mkString(", ")))
      else {
        guess = number
        number
      }
    }
  }
}
