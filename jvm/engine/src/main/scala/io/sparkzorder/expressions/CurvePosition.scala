// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.{KeyHead, KeyType}
import io.sparkzorder.curve.Curve
import io.sparkzorder.key.{ColumnRanks, RankTables}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The curve position of a row, by the ranks of its columns. A BIGINT of 0 or more, never NULL.
 *
 * @param section
 *   the number of the row's section, an INT
 * @param columns
 *   the z-order columns, most significant first
 */
case class CurvePosition(section: Expression, columns: Seq[Expression], ranks: RankTables, curve: Curve)
    extends Expression {
  require(columns.length == ranks.columns && columns.length == curve.dimensions)

  @transient private lazy val keyTypes: Seq[KeyType] = columns.map(c => KeyType.of(c.dataType).get).toIndexedSeq

  override def children: Seq[Expression] = section +: columns

  override def dataType: DataType = LongType

  override def nullable: Boolean = false

  override def prettyName: String = s"${curve.name}_index"

  override def toString: String = s"$prettyName(${columns.mkString(", ")})"

  override def eval(input: InternalRow): Any = {
    val tables = ranks.of(section.eval(input).asInstanceOf[Int])
    curve.position(ColumnLookups.eval(columns, keyTypes, tables, input))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    // One array for all rows of a task.
    val point = ctx.addMutableState("long[]", "point", v => s"$v = new long[${columns.length}];")
    val tables = ctx.freshName("tables")
    val number = section.genCode(ctx)
    val coordinates = ColumnLookups.code(ctx, columns, keyTypes, tables, point)
    val ranksRef = ctx.addReferenceObj("ranks", ranks)
    val curveRef = ctx.addReferenceObj("curve", curve)
    ev.copy(
      code = code"""
        ${number.code}
        final ${classOf[ColumnRanks].getName}[] $tables = $ranksRef.of(${number.value});
        $coordinates
        final long ${ev.value} = $curveRef.position($point);
      """,
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): CurvePosition =
    copy(newChildren.head, newChildren.tail)
}

/** Looks up the values of a row's columns, each in the table of its column. NULL has a rank of its own. */
private[expressions] object ColumnLookups {

  def eval(
      columns: Seq[Expression],
      keyTypes: Seq[KeyType],
      tables: Array[ColumnRanks],
      input: InternalRow): Array[Long] =
    columns.indices.map { axis =>
      val (value, table) = (columns(axis).eval(input), tables(axis))
      if (value == null) table.nullRank else table.rankOf(KeyHead.of(keyTypes(axis), value))
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
        val rank = s"$point[$axis] = $table.rank(${KeyHead.code(keyType, value.value.toString)});"
        val guarded =
          if (column.nullable) s"if (${value.isNull}) $point[$axis] = $table.nullRank(); else $rank" else rank
        s"${value.code}\n$guarded"
      }
      .mkString("\n")
}
