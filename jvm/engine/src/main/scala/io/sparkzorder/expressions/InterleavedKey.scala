// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.curve.BitInterleaving

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BinaryType, DataType, NullType}

/** An expression of which the bits of the arguments make one BINARY key. Never null. */
private[expressions] trait InterleavedKey extends Expression {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = false

  override def foldable: Boolean = children.forall(_.foldable)

  /**
   * @param parts
   *   name of the variable that holds what [[BitInterleaving]] takes; one for all rows of a task
   * @param assign
   *   Java source that puts the value of the argument with a number into its part; an argument that is a NULL without a
   *   type is not assigned
   */
  protected def interleaved(ctx: CodegenContext, ev: ExprCode, parts: String)(
      assign: (ExprCode, Int) => String): ExprCode = {
    val assignments = children.zipWithIndex.collect {
      case (child, i) if child.dataType != NullType =>
        val value = child.genCode(ctx)
        s"${value.code}\n${assign(value, i)}"
    }
    val assignAll = ctx.splitExpressionsWithCurrentInputs(assignments, prettyName)
    val kernel = BitInterleaving.getClass.getName.stripSuffix("$")
    ev.copy(
      code = code"""
         |$assignAll
         |byte[] ${ev.value} = $kernel.interleave($parts);
       """.stripMargin,
      isNull = FalseLiteral
    )
  }
}
