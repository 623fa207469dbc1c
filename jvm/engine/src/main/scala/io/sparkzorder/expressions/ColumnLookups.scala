// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.key.ColumnRanks
import io.sparkzorder.types.KeyType

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext

/** Looks up the values of a row's columns, each in the table of its column. NULL has a rank of its own. */
private[expressions] object ColumnLookups {

  def eval(
      columns: Seq[Expression],
      keyTypes: Seq[KeyType],
      tables: Array[ColumnRanks],
      input: InternalRow): Array[Long] =
    columns.indices.map { axis =>
      val (value, table) = (columns(axis).eval(input), tables(axis))
      if (value == null) table.nullRank else table.rankOf(keyTypes(axis).key(value))
    }.toArray

  /**
   * Java source that does the same.
   *
   * @param tables
   *   the name of a variable, a `ColumnRanks[]`
   * @param point
   *   the name of a variable, a `long[]`, to be filled
   */
  def code(
      ctx: CodegenContext,
      columns: Seq[Expression],
      keyTypes: Seq[KeyType],
      tables: String,
      point: String): String =
    columns
      .zip(keyTypes)
      .zipWithIndex
      .map { case ((column, keyType), axis) =>
        val value = column.genCode(ctx)
        val table = s"$tables[$axis]"
        val rank = s"$point[$axis] = $table.rank(${keyType.code(value.value.toString)});"
        val guarded =
          if (column.nullable) s"if (${value.isNull}) $point[$axis] = $table.nullRank(); else $rank" else rank
        s"${value.code}\n$guarded"
      }
      .mkString("\n")
}
