// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.curve.BitInterleaving
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionDescription}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BinaryType, DataType, IntegerType, NullType}

/**
 * SQL's `interleave_bits(i1, i2, ...)`: a thin adapter over [[BitInterleaving]]. Never null; a NULL int counts as 0.
 */
@ExpressionDescription(
  usage = "_FUNC_(i1, i2, ...) - Returns the bits of the INT arguments interleaved: the z-order key of a point.",
  arguments = """
    Arguments:
      * i1, i2, ... - any number of INT expressions, taken as 32 unsigned bits each. The first one owns the most
          significant bit. NULL counts as 0.
  """,
  examples = """
    Examples:
      > SELECT hex(_FUNC_(3, 2, 1));
       000000000000000000000035
      > SELECT hex(_FUNC_(-1, 0));
       AAAAAAAAAAAAAAAA
      > SELECT hex(_FUNC_(NULL, -1));
       5555555555555555
      > SELECT x, y FROM VALUES (1, 1), (2, 0), (0, 1) AS t(x, y) ORDER BY _FUNC_(x, y);
       0	1
       1	1
       2	0
  """,
  note = """
    The result is 4 bytes per argument, the most significant first, so that it sorts as BINARY does. Other types have
    to be cast, or turned into ranks by range_partition_id(x, n).
  """,
  since = "0.1.0",
  group = "bitwise_funcs",
  source = "built-in"
)
case class InterleaveBits(children: Seq[Expression]) extends InterleavedKey {

  override def prettyName: String = "interleave_bits"

  /** Throws instead of answering: a `TypeCheckResult` can only carry Spark's own conditions. */
  override def checkInputDataTypes(): TypeCheckResult = {
    children.zipWithIndex.foreach {
      case (child, _) if InterleaveBits.accepts(child.dataType) =>
      case (child, i) =>
        throw ZOrderErrors.invalidArgumentType(
          function = prettyName,
          position = i + 1,
          argument = child,
          expected = "INT",
          hint = s"Cast it, as in CAST(${child.sql} AS INT), or rank it, as in range_partition_id(${child.sql}, 1000)."
        )
    }
    TypeCheckResult.TypeCheckSuccess
  }

  override def eval(input: InternalRow): Any = {
    val values = new Array[Int](children.size)
    var i = 0
    children.foreach { child =>
      val value = child.eval(input)
      if (value != null) values(i) = value.asInstanceOf[Int]
      i += 1
    }
    BitInterleaving.interleave(values)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    // One array for all rows of a task; every slot of an INT argument is written for every row, others stay 0.
    val values = ctx.addMutableState("int[]", "values", v => s"$v = new int[${children.size}];")
    interleaved(ctx, ev, values)((value, i) => s"$values[$i] = ${value.isNull} ? 0 : ${value.value};")
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): InterleaveBits =
    copy(children = newChildren)
}

private object InterleaveBits {

  // A bare NULL has a type of its own, which every INT parameter of Spark takes.
  def accepts(dataType: DataType): Boolean = dataType == IntegerType || dataType == NullType
}

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
