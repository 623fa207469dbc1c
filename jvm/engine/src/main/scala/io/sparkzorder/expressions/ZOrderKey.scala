// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.{ZOrderCode, ZOrderCodes}
import io.sparkzorder.curve.BitInterleaving
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionDescription}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}

/** SQL's `zorder_key(c1, c2, ...)`: a thin adapter over [[ZOrderCode]] and [[BitInterleaving]]. Never null. */
@ExpressionDescription(
  usage =
    "_FUNC_(c1, c2, ...) - Returns a key that sorts rows along the z-order curve through columns of mixed types, " +
      "without a look at other rows.",
  arguments = """
    Arguments:
      * c1, c2, ... - expressions of numbers, strings, binaries, booleans, dates, times, timestamps and intervals. In
          each group of bits the first one's bit comes first.
  """,
  examples = """
    Examples:
      > SELECT hex(_FUNC_(1, 0));
       0003C0000000000000000000000000000002
      > SELECT x, y FROM VALUES (2, 0L), (1, 3L), (-4, -3L), (-3, -4L) AS t(x, y) ORDER BY _FUNC_(x, y);
       -4	-3
       -3	-4
       1	3
       2	0
      > SELECT d FROM VALUES (1.5D), (-1.5D), (0D) AS t(d) ORDER BY _FUNC_(d);
       -1.5
       0.0
       1.5
  """,
  note = """
    Two keys compare, as BINARY does, as the two rows compare in the column with the most significant bit in which they
    differ. Each column's order is Spark's own; NULL lies below every value, and 0.0 and -0.0 are one. Whole numbers of
    all types count alike, as do dates and timestamps. Of strings and binaries the first 16 bytes count. Keys of raw
    values serve columns of like ranges; range_partition_id(x, n) serves all others.
  """,
  since = "0.1.0",
  group = "misc_funcs",
  source = "built-in"
)
case class ZOrderKey(children: Seq[Expression]) extends InterleavedKey {

  private lazy val codes: IndexedSeq[ZOrderCode] = children.map(c => ZOrderCode.of(c.dataType).get).toIndexedSeq

  override def prettyName: String = "zorder_key"

  /** Throws instead of answering: a `TypeCheckResult` can only carry Spark's own conditions. */
  override def checkInputDataTypes(): TypeCheckResult = {
    if (children.isEmpty) throw ZOrderErrors.noKeyColumn(this)
    children.zipWithIndex.foreach { case (child, i) =>
      if (ZOrderCode.of(child.dataType).isEmpty)
        throw ZOrderErrors.invalidArgumentType(
          prettyName,
          i + 1,
          child,
          "numbers, strings, binaries, booleans, dates, times, timestamps and intervals",
          "Name the fields of a struct one by one; other types have no place in a key."
        )
    }
    TypeCheckResult.TypeCheckSuccess
  }

  override def eval(input: InternalRow): Any = {
    val written = new Array[Array[Byte]](codes.length)
    var i = 0
    children.foreach { child =>
      written(i) = new Array[Byte](codes(i).length)
      val value = child.eval(input)
      if (value != null) codes(i).write(value, written(i))
      i += 1
    }
    BitInterleaving.interleave(written)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    // One array for all rows of a task; each code is written for every row, but that of a NULL without a type: it stays 0.
    val lengths = codes.map(_.length)
    val written = ctx.addMutableState(
      "byte[][]",
      "codes",
      v => s"$v = new byte[][]{${lengths.map(n => s"new byte[$n]").mkString(", ")}};",
      forceInline = true)
    interleaved(ctx, ev, written) { (value, i) =>
      s"""
         |if (${value.isNull}) {
         |  ${ZOrderCodes.call("putNull", s"$written[$i]")}
         |} else {
         |  ${codes(i).source(value.value.toString, s"$written[$i]")}
         |}
       """.stripMargin
    }
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): ZOrderKey =
    copy(children = newChildren)
}
