// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.KeyType
import io.sparkzorder.key.ColumnRanks
import io.sparkzorder.layout.incremental.SectionRouter

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * The number of the section that a row belongs to ([[SectionRouter]]). An INT, never NULL.
 *
 * @param partition
 *   the number of the row's table partition, an INT
 * @param columns
 *   the z-order columns, looked at only in divided partitions
 */
case class SectionNumber(partition: Expression, columns: Seq[Expression], keyTypes: Seq[KeyType], routes: SectionRouter)
    extends Expression {
  require(columns.length == keyTypes.length)

  override def children: Seq[Expression] = partition +: columns

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  override def toString: String = s"section_number(${columns.mkString(", ")})"

  override def eval(input: InternalRow): Any = {
    val p = partition.eval(input).asInstanceOf[Int]
    if (!routes.isDivided(p)) routes.first(p)
    else routes.section(p, ColumnLookups.eval(columns, keyTypes, routes.cells(p), input))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val cells = ctx.addMutableState("long[]", "cells", v => s"$v = new long[${columns.length}];")
    val tables = ctx.freshName("tables")
    val p = partition.genCode(ctx)
    val lookups = ColumnLookups.code(ctx, columns, keyTypes, tables, cells)
    val routesRef = ctx.addReferenceObj("routes", routes)
    ev.copy(
      code = code"""
        ${p.code}
        int ${ev.value};
        if ($routesRef.isDivided(${p.value})) {
          final ${classOf[ColumnRanks].getName}[] $tables = $routesRef.cells(${p.value});
          $lookups
          ${ev.value} = $routesRef.section(${p.value}, $cells);
        } else {
          ${ev.value} = $routesRef.first(${p.value});
        }
      """,
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): SectionNumber =
    copy(partition = newChildren.head, columns = newChildren.tail)
}
