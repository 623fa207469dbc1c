// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.layout.FileAssignment

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Murmur3Hash, TernaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{ArrayType, DataType, IntegerType, MapType, StructType, VariantType}

/**
 * The number of the task that writes a row, by [[FileAssignment]]. An INT, never NULL.
 *
 * @param section
 *   the number of the row's section, an INT
 * @param position
 *   the row's curve position, a BIGINT
 * @param rowHash
 *   a hash of the row, an INT, evaluated only where more rows than a file holds share a curve position
 */
case class OutputTask(section: Expression, position: Expression, rowHash: Expression, assignment: FileAssignment)
    extends TernaryExpression {

  override def first: Expression = section
  override def second: Expression = position
  override def third: Expression = rowHash

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val number = section.eval(input).asInstanceOf[Int]
    val range = assignment.range(number, position.eval(input).asInstanceOf[Long])
    val hash = if (assignment.isSpread(number, range)) rowHash.eval(input).asInstanceOf[Int] else 0
    assignment.task(number, range, hash)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val tasks = ctx.addReferenceObj("assignment", assignment)
    val number = section.genCode(ctx)
    val place = position.genCode(ctx)
    val hash = rowHash.genCode(ctx)
    val range = ctx.freshName("range")
    ev.copy(
      code = code"""
        ${number.code}
        ${place.code}
        final int $range = $tasks.range(${number.value}, ${place.value});
        int ${ev.value};
        if ($tasks.isSpread(${number.value}, $range)) {
          ${hash.code}
          ${ev.value} = $tasks.task(${number.value}, $range, ${hash.value});
        } else {
          ${ev.value} = $tasks.task(${number.value}, $range, 0);
        }
      """,
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildrenInternal(first: Expression, second: Expression, third: Expression): OutputTask =
    copy(first, second, third)
}

/** A hash of everything in a row that can be hashed: the same in every attempt of a task. */
object RowHash {

  def of(output: Seq[Attribute]): Expression = Murmur3Hash(output.filterNot(a => hasUnhashable(a.dataType)), seed = 42)

  private def hasUnhashable(dataType: DataType): Boolean = dataType match {
    case _: MapType | _: VariantType => true
    case array: ArrayType => hasUnhashable(array.elementType)
    case struct: StructType => struct.exists(f => hasUnhashable(f.dataType))
    case _ => false
  }
}
