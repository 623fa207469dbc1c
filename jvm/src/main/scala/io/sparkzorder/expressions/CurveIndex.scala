package io.sparkzorder.expressions

import io.sparkzorder.curve.Curve
import io.sparkzorder.key.ColumnRanks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The place of a row on a curve: ranks of its columns, in the curve's order. A BIGINT of 0 or more, never NULL.
 *
 * @param children
 *   the z-order columns, most significant first
 * @param ranks
 *   one table per column
 */
case class CurveIndex(children: Seq[Expression], ranks: Seq[ColumnRanks], curve: Curve) extends Expression {
  require(children.length == ranks.length && children.length == curve.dimensions)

  override def dataType: DataType = LongType

  override def nullable: Boolean = false

  override def prettyName: String = s"${curve.name}_index"

  override def toString: String = s"$prettyName(${children.mkString(", ")})"

  override def eval(input: InternalRow): Any = {
    val point = children.zip(ranks).map { case (child, table) =>
      val value = child.eval(input)
      if (value == null) table.nullRank else table.rankOf(table.keyType.key(value))
    }
    curve.index(point.toArray)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    // One array for all rows of a task.
    val point = ctx.addMutableState("long[]", "point", v => s"$v = new long[${children.length}];")
    val coordinates = children.zip(ranks).zipWithIndex.map { case ((child, table), axis) =>
      val value = child.genCode(ctx)
      val ranks = ctx.addReferenceObj("ranks", table)
      val key = table.keyType.code(value.value.toString)
      val rank = s"$point[$axis] = $ranks.rank($key);"
      val guarded = if (child.nullable) s"if (${value.isNull}) $point[$axis] = $ranks.nullRank(); else $rank" else rank
      s"${value.code}\n$guarded"
    }
    val curveRef = ctx.addReferenceObj("curve", curve)
    ev.copy(
      code = code"""
        ${coordinates.mkString("\n")}
        final long ${ev.value} = $curveRef.index($point);
      """,
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): CurveIndex =
    copy(children = newChildren)
}
