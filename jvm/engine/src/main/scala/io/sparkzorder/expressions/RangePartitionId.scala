// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.column.KeyType
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, ExpressionDescription, Unevaluable}
import org.apache.spark.sql.catalyst.trees.{TreePattern, TreePatternBits}
import org.apache.spark.sql.types.{ByteType, DataType, IntegerType, LongType, NullType, ShortType}

/**
 * SQL's `range_partition_id(col, n)` as the user wrote it.
 *
 * A placeholder: its value depends on all rows that enter the operator it stands in. After analysis a rule replaces it
 * by a [[RangeBucket]] over boundaries that a subquery finds.
 */
@ExpressionDescription(
  usage = "_FUNC_(col, n) - Returns the id, 0 to n - 1, of the range that holds `col` when the input is cut into `n` " +
    "even ranges.",
  arguments = """
    Arguments:
      * col - an expression of any type that can be ordered. NULL sorts below all values, NaN above all numbers.
      * n - a constant INT of 1 or more.
  """,
  examples = """
    Examples:
      > SELECT col, _FUNC_(col, 2) FROM VALUES ('a'), ('b'), ('c'), ('d') AS t(col);
       a	0
       b	0
       c	1
       d	1
      > SELECT _FUNC_(id, 4) AS quarter, min(id), max(id) FROM range(20) GROUP BY _FUNC_(id, 4) ORDER BY quarter;
       0	0	4
       1	5	9
       2	10	14
       3	15	19
      > SELECT hex(interleave_bits(_FUNC_(x, 4), _FUNC_(y, 4))) FROM VALUES (1.5, 'a'), (NULL, 'b') AS t(x, y);
       0000000000000008
       0000000000000004
  """,
  note = """
    The id is floor(n * rows strictly below / rows). The input is the rows that enter the operator in which the call
    stands: in a SELECT list the rows that WHERE leaves, in WHERE those of FROM, in HAVING the groups. It is read twice,
    once for the ranges of all calls together; a source that gives other rows the second time gives less even ranges.
    The ranges are exact up to 8192 values, beyond that their ends are off by less than 0.5 % of the rows.
  """,
  since = "0.1.0",
  group = "misc_funcs",
  source = "built-in"
)
case class RangePartitionId(child: Expression, ranges: Expression) extends BinaryExpression with Unevaluable {

  override def prettyName: String = "range_partition_id"

  override val nodePatterns: Seq[TreePattern.TreePattern] = Seq(RangePartitionId.Pattern)

  override def left: Expression = child

  override def right: Expression = ranges

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  private lazy val value: Option[Any] = Constant.valueOf(ranges)

  /** The number of ranges, if it is not NULL. */
  private def constant: Option[Number] = value.flatMap(Option(_)).map(_.asInstanceOf[Number])

  /** `n`; only to be asked for when types have been checked. */
  def rangeCount: Int = constant.get.intValue

  /** Throws instead of answering: a `TypeCheckResult` can only carry Spark's own conditions. */
  override def checkInputDataTypes(): TypeCheckResult = {
    if (KeyType.of(child.dataType).isEmpty) throw ZOrderErrors.invalidArgumentType(
      function = prettyName,
      position = 1,
      argument = child,
      expected = "a type that can be ordered",
      hint = "Use a field or element of it, or cast it to a type that can be ordered, such as STRING."
    )
    if (!RangePartitionId.countTypes.contains(ranges.dataType))
      throw ZOrderErrors.invalidArgumentType(
        function = prettyName,
        position = 2,
        argument = ranges,
        expected = "a constant INT",
        hint = s"Write the number of ranges as in range_partition_id(${child.sql}, 1000)."
      )
    if (value.isEmpty) throw ZOrderErrors.nonConstantRangeCount(ranges, child)
    if (!constant.exists(n => n.longValue >= 1 && n.longValue <= Int.MaxValue))
      throw ZOrderErrors.nonPositiveRangeCount(ranges, constant.fold("NULL")(_.toString), child)
    TypeCheckResult.TypeCheckSuccess
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): RangePartitionId =
    copy(child = newLeft, ranges = newRight)
}

private[sparkzorder] object RangePartitionId {

  // A bare NULL passes here and is refused as a number of ranges.
  private val countTypes: Set[DataType] = Set(ByteType, ShortType, IntegerType, LongType, NullType)

  // Spark's list of patterns is closed: this one is of a column that pandas-on-Spark alone makes.
  private val Pattern: TreePattern.TreePattern = TreePattern.DISTRIBUTED_SEQUENCE_ID

  /** Whether there may be a call in a plan, its subqueries among it: it takes no look at the plan's nodes. */
  def mayBeIn(plan: TreePatternBits): Boolean = plan.containsPattern(Pattern)
}
