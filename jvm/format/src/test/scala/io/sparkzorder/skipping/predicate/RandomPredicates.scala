// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import scala.util.{Random, Try}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Predicates over a table's columns: those that statistics answer, those that they do not, and combinations. */
class RandomPredicates(table: RandomTable, random: Random) {

  private def oneOf[A](options: A*): A = options(random.nextInt(options.size))

  /** A predicate and the name of its kind; combinations are one kind. */
  def next(): (String, Expression) =
    if (random.nextInt(3) == 0) atom() else ("combined", combined(1 + random.nextInt(3)))

  private def combined(depth: Int): Expression = {
    def part: Expression = if (depth <= 1) atom()._2 else combined(depth - 1)
    random.nextInt(10) match {
      case 0 | 1 | 2 => And(part, part)
      case 3 | 4 => Or(part, part)
      case 5 | 6 => Not(part)
      case 7 => oneOf[Expression](If(part, part, part), Coalesce(Seq(part, part)))
      case 8 => CaseWhen(Seq((part, part), (part, part)), if (random.nextBoolean()) Some(part) else None)
      case 9 => atom()._2
    }
  }

  private def atom(): (String, Expression) = {
    val column = oneOf(table.columns: _*)
    random.nextInt(18) match {
      case 0 | 1 | 2 => comparison("comparison", column.expression, column.dataType)
      case 3 | 4 =>
        val target = castTarget(column.dataType)
        comparison(
          s"cast ${if (BoundsResolver.keepsOrder(column.dataType, target)) "kept" else "other"}",
          cast(column.expression, target),
          target)
      case 5 | 6 => ("in", In(column.expression, Seq.fill(1 + random.nextInt(4))(literal(column.dataType))))
      case 7 =>
        val values: Set[Any] = Seq.fill(1 + random.nextInt(20))(literal(column.dataType).value).toSet
        ("in set", if (isBinary(column.dataType)) atom()._2 else InSet(column.expression, values))
      case 8 => ("is null", oneOf(IsNull(column.expression), IsNotNull(column.expression)))
      case 9 | 10 => text(column)
      case 11 =>
        column.dataType match {
          case FloatType | DoubleType => ("is nan", IsNaN(column.expression))
          case BooleanType => ("boolean", column.expression)
          case _ => comparison("comparison", column.expression, column.dataType)
        }
      case 12 =>
        val other = table.columns.filter(_.dataType == column.dataType)
        ("columns", compare(column.expression, oneOf(other: _*).expression))
      case 13 => ("literal", Literal(oneOf[Any](true, false, null), BooleanType))
      case _ =>
        val (kind, function) = of(column)
        // What the function makes of some value of the column.
        val value = Literal(oneOf(RandomTable.pool(column.dataType): _*), column.dataType)
        val literal = Try(function.transform { case e if e eq column.expression => value }.eval())
        (kind, compare(function, Literal(literal.getOrElse(null), function.dataType)))
    }
  }

  private def comparison(kind: String, left: Expression, dataType: DataType): (String, Expression) = {
    val value = literal(dataType)
    if (random.nextInt(3) == 0) (kind, compare(value, left)) else (kind, compare(left, value))
  }

  private def compare(left: Expression, right: Expression): Expression = oneOf[(Expression, Expression) => Expression](
    EqualTo(_, _),
    EqualTo(_, _),
    EqualNullSafe(_, _),
    (l, r) => Not(EqualTo(l, r)),
    LessThan(_, _),
    LessThanOrEqual(_, _),
    GreaterThan(_, _),
    GreaterThanOrEqual(_, _)
  )(left, right)

  private def literal(dataType: DataType): Literal =
    if (random.nextInt(12) == 0) Literal(null, dataType)
    else Literal(oneOf(RandomTable.pool(dataType): _*), dataType)

  private def text(column: RandomColumn): (String, Expression) = column.dataType match {
    case StringType =>
      val value = oneOf(RandomTable.pool(StringType): _*).asInstanceOf[UTF8String]
      val start = value.substring(0, 1 + random.nextInt(3))
      random.nextInt(3) match {
        case 0 => ("starts with", StartsWith(column.expression, Literal(start, StringType)))
        case 1 => (
            "like",
            Like(column.expression, Literal.create(start.toString + oneOf("%", "%%", "", "_", "_%", "%b")), '\\'))
        case 2 =>
          val pattern = oneOf("a/%", "a/_c", "ab/%%", "ab%", "//%", "%", "_b", "abc", "\ufffd%", "a\ufffd")
          ("like", Like(column.expression, Literal.create(pattern), '/'))
      }
    case _ => ("is null", IsNotNull(column.expression))
  }

  /** A function of a column whose bounds follow from the column's, and its kind. */
  private def of(column: RandomColumn): (String, Expression) = {
    val e = column.expression
    def constant = Literal(oneOf(RandomTable.pool(column.dataType).filter(_ != null): _*), column.dataType)
    def unit = Literal(oneOf("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "nothing"))
    def part(date: Expression) = oneOf(Month(date), Quarter(date), DayOfYear(date), DayOfMonth(date))
    // With clocks that are put back over midnight, by half an hour, and a day that was left out or repeated.
    def zone =
      Some(oneOf("America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "America/Juneau", "Asia/Kolkata", "UTC"))
    val functions: Seq[(String, Expression)] = column.dataType match {
      case TimestampType =>
        val date = Cast(e, DateType, zone, EvalMode.ANSI)
        Seq(
          "time" -> TruncTimestamp(unit, e, zone),
          "time" -> date,
          "time" -> Year(date),
          "date" -> part(date),
          "time" -> Cast(e, TimestampNTZType, zone, EvalMode.ANSI))
      case DateType => Seq("date" -> Year(e), "date" -> TruncDate(e, unit), "date" -> part(e))
      case StringType =>
        Seq("substring" -> Substring(e, Literal(oneOf(0, 1)), Literal(random.nextInt(4))))
      case ByteType | ShortType | IntegerType | LongType =>
        Seq(
          "linear" -> Add(e, constant),
          "linear" -> Subtract(constant, e),
          "linear" -> Subtract(e, constant),
          "linear" -> Multiply(e, constant),
          "linear" -> UnaryMinus(e))
      case _: DecimalType => Seq("floor" -> Floor(e), "floor" -> Ceil(e))
      case _ => Nil
    }
    val always = if (column.dataType == BooleanType || isBinary(column.dataType)) Seq("column" -> e)
    else Seq("coalesce" -> Coalesce(Seq(e, constant)))
    oneOf(functions ++ always: _*)
  }

  private def castTarget(from: DataType): DataType = {
    val targets = RandomTable.types ++ Seq(DecimalType(20, 2), DecimalType(12, 2), DecimalType(4, 1))
    val able =
      targets.filter(t => t != from && Cast.canCast(from, t) && RandomTable.types.contains(t) || keeps(from, t))
    val kept = able.filter(BoundsResolver.keepsOrder(from, _))
    if (kept.nonEmpty && random.nextInt(3) > 0) oneOf(kept: _*)
    else if (able.isEmpty) from
    else oneOf(able: _*)
  }

  private def keeps(from: DataType, to: DataType): Boolean =
    from != to && RandomTable.types.contains(to) && BoundsResolver.keepsOrder(from, to)

  private def cast(expression: Expression, to: DataType): Expression =
    if (expression.dataType == to) expression
    else Cast(
      expression,
      to,
      Some("America/St_Johns"),
      oneOf(EvalMode.LEGACY, EvalMode.LEGACY, EvalMode.ANSI, EvalMode.TRY))

  private def isBinary(dataType: DataType): Boolean = dataType == BinaryType
}
