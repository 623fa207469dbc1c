// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.{KeyHead, KeyType}

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

/**
 * The key of a value ([[KeyType]]) as a column: BIGINT for types of fixed width, the first bytes in a STRING for strings
 * ([[KeyHead]]), the value itself for the rest. NULL stays NULL.
 */
case class SortKey(child: Expression, keyType: KeyType) extends UnaryExpression {

  override def dataType: DataType = keyType.storedType

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(value: Any): Any = KeyHead.of(keyType, value)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, KeyHead.code(keyType, _))

  override protected def withNewChildInternal(newChild: Expression): SortKey = copy(child = newChild)
}
