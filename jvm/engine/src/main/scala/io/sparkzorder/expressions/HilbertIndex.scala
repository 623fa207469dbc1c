// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.curve.{Curve, HilbertCurve}
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionDescription}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, NullType}

/**
 * SQL's `hilbert_index(bits, i1, i2, ...)`: a thin adapter over [[HilbertCurve]]. Never null; a NULL int counts as 0.
 */
@ExpressionDescription(
  usage =
    "_FUNC_(bits, i1, i2, ...) - Returns the position of a point on the Hilbert curve through a grid of 2^bits steps " +
      "along each axis.",
  arguments = """
    Arguments:
      * bits - a constant INT of 1 to 31; bits times the number of axes is at most 63.
      * i1, i2, ... - INT expressions, one per axis, of which the lowest `bits` bits count. NULL counts as 0.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(2, 3, 0);
       15
      > SELECT x, y FROM VALUES (0, 0), (0, 1), (1, 0), (1, 1) AS t(x, y) ORDER BY _FUNC_(1, x, y);
       0	0
       0	1
       1	1
       1	0
  """,
  note = """
    Points that follow each other on the curve are neighbours in the grid. The index is 0 to 2^(bits * axes) - 1.
  """,
  since = "0.1.0",
  group = "misc_funcs",
  source = "built-in"
)
case class HilbertIndex(children: Seq[Expression]) extends Expression {

  private def bits: Expression = children.head
  private def axes: Seq[Expression] = children.drop(1)

  @transient private lazy val constant: Option[Int] =
    if (bits.dataType == IntegerType) Constant.valueOf(bits).flatMap(Option(_)).map(_.asInstanceOf[Int]) else None

  @transient private lazy val grid = new HilbertGrid(constant.get, axes.length)

  override def prettyName: String = "hilbert_index"

  override def dataType: DataType = LongType

  override def nullable: Boolean = false

  override def foldable: Boolean = children.forall(_.foldable)

  /** Throws instead of answering: a `TypeCheckResult` can only carry Spark's own conditions. */
  override def checkInputDataTypes(): TypeCheckResult = {
    if (axes.isEmpty) throw ZOrderErrors.noAxis(this)
    children.zipWithIndex.foreach { case (child, i) =>
      if (child.dataType != IntegerType && child.dataType != NullType)
        throw ZOrderErrors.invalidArgumentType(
          prettyName,
          i + 1,
          child,
          "INT",
          s"Cast it, as in CAST(${child.sql} AS INT).")
    }
    val most = math.min(31, Curve.bitsFor(axes.length))
    if (!constant.exists(b => b >= 1 && b <= most)) throw ZOrderErrors.invalidBits(bits, axes.length, most)
    TypeCheckResult.TypeCheckSuccess
  }

  override def eval(input: InternalRow): Any = {
    val point = axes.map(_.eval(input)).map(v => if (v == null) 0L else v.asInstanceOf[Int].toLong).toArray
    grid.position(point)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val point = ctx.addMutableState("long[]", "point", v => s"$v = new long[${axes.length}];")
    // Every slot is written for every row, because the transform to the index works in place.
    val coordinates = axes.zipWithIndex.map {
      case (axis, i) if axis.dataType == NullType => s"$point[$i] = 0L;"
      case (axis, i) =>
        val value = axis.genCode(ctx)
        // The cast is explicit: Janino does not widen the value of a conditional whose condition is a constant.
        s"${value.code}\n$point[$i] = ${value.isNull} ? 0L : (long) ${value.value};"
    }
    val gridRef = ctx.addReferenceObj("grid", grid)
    ev.copy(
      code = code"""
        ${coordinates.mkString("\n")}
        final long ${ev.value} = $gridRef.position($point);
      """,
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): HilbertIndex =
    copy(children = newChildren)
}

/** A Hilbert curve that takes the lowest bits of any coordinates. */
private[expressions] final class HilbertGrid(bits: Int, axes: Int) extends Serializable {
  private val curve = new HilbertCurve(axes, bits)
  private val mask = (1L << bits) - 1

  /** May overwrite `point`. */
  def position(point: Array[Long]): Long = {
    var i = 0
    while (i < point.length) {
      point(i) &= mask
      i += 1
    }
    curve.position(point)
  }
}
