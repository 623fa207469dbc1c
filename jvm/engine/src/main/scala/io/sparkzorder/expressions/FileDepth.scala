// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.KeyType
import io.sparkzorder.layout.measure.DepthTable

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, IntegerType}

/** The number of files that a point lookup reads, by the files' ranges. An INT; NULL for NULL. */
case class FileDepth(child: Expression, keyType: KeyType, table: DepthTable) extends UnaryExpression {

  override def dataType: DataType = IntegerType

  override def nullIntolerant: Boolean = true

  override def toString: String = s"file_depth($child)"

  override protected def nullSafeEval(value: Any): Any = table.depthOf(keyType.key(value))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val depths = ctx.addReferenceObj("depths", table)
    defineCodeGen(ctx, ev, value => s"$depths.depth(${keyType.code(value)})")
  }

  override protected def withNewChildInternal(newChild: Expression): FileDepth = copy(child = newChild)
}
