// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.KeyType
import io.sparkzorder.key.RangeIds

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * The id of the range that holds `child`, an INT that is never null.
 *
 * @param boundaries
 *   the result of a [[RangeBoundaries]] over the same expression: a constant of the running query, in practice a field
 *   of a scalar subquery, so it is read once per task and not per row
 */
case class RangeBucket(child: Expression, boundaries: Expression) extends BinaryExpression {

  @transient private lazy val keyType = RangeBoundaries.keyType(child.dataType)

  @transient private lazy val ids = RangeBucket.read(keyType, boundaries.eval().asInstanceOf[ArrayData])

  override def prettyName: String = "range_bucket"

  override def left: Expression = child

  override def right: Expression = boundaries

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val value = child.eval(input)
    if (value == null) RangeIds.OfNull else ids.ofKey(keyType.key(value))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val idsClass = classOf[RangeIds].getName
    val ids = ctx.addMutableState(idsClass, "rangeIds", forceInline = true)
    val reader = RangeBucket.getClass.getName.stripSuffix("$")
    val keyTypeObject = ctx.addReferenceObj("keyType", keyType, classOf[KeyType].getName)
    val value = child.genCode(ctx)
    val array = boundaries.genCode(ctx)
    ev.copy(
      code = code"""
         |if ($ids == null) {
         |  ${array.code}
         |  $ids = $reader.read($keyTypeObject, ${array.value});
         |}
         |${value.code}
         |int ${ev.value} = ${RangeIds.OfNull};
         |if (!${value.isNull}) {
         |  ${ev.value} = $ids.of(${keyType.code(value.value.toString)});
         |}
       """.stripMargin,
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): RangeBucket =
    copy(child = newLeft, boundaries = newRight)
}

object RangeBucket {

  /** The ranges that `boundaries`, an array of (start, id), describes. */
  def read(keyType: KeyType, boundaries: ArrayData): RangeIds = {
    val starts = (0 until boundaries.numElements()).map { i =>
      val start = boundaries.getStruct(i, 2)
      (start.get(0, keyType.storedType), start.getInt(1))
    }
    RangeIds(keyType, starts)
  }
}
