// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  FalseLiteral,
  GenerateUnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType}

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
