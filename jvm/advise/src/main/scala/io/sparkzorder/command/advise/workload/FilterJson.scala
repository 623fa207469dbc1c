// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparkzorder.column.ColumnPath

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BinaryType, BooleanType, DataType, StringType}

/**
 * Filters as JSON arrays, operators first: `["and",["=",["column","a"],["value","INT","5"]],["isnull",["column","b"]]]`.
 *
 * It knows what files are skipped by: comparisons, lists, prefixes and NULLs of columns, fields and casts of them. What
 * is of another kind is left out, so that the filter that is left holds for more rows, never for fewer.
 */
private[workload] object FilterJson {

  private val comparisons: Map[String, (Expression, Expression) => Expression] = Map(
    "=" -> (EqualTo(_, _)),
    "<=>" -> (EqualNullSafe(_, _)),
    "<=" -> (LessThanOrEqual(_, _)),
    ">=" -> (GreaterThanOrEqual(_, _)),
    "<" -> (LessThan(_, _)),
    ">" -> (GreaterThan(_, _))
  )

  private val turned = Map("<" -> ">", ">" -> "<", "<=" -> ">=", ">=" -> "<=").withDefault(identity[String])

  // Timestamps as texts are of one zone, whatever the session's.
  private val zone = Some("UTC")

  /**
   * @param withValues
   *   whether the values stand in it with which columns are compared; if not, their types do, and the length of a list
   */
  final class Writer(withValues: Boolean) {

    /** None where no file could be skipped by the filter. */
    def of(filter: Expression): Option[Seq[Any]] = predicate(filter, isWhole = false)

    /** @param isWhole whether nothing may be left out of it, as below a NOT, where less would hold for fewer rows */
    private def predicate(filter: Expression, isWhole: Boolean): Option[Seq[Any]] = filter match {
      case And(left, right) =>
        (predicate(left, isWhole), predicate(right, isWhole)) match {
          case (Some(l), Some(r)) => Some(Seq("and", l, r))
          case (l, r) => if (isWhole) None else l.orElse(r)
        }
      case Or(left, right) =>
        for (l <- predicate(left, isWhole); r <- predicate(right, isWhole)) yield Seq("or", l, r)
      // Which of its two values a column is asked for is a value, too.
      case Not(child) if !withValues && term(child).isDefined => predicate(child, isWhole)
      case Not(child) => predicate(child, isWhole = true).map(Seq("not", _))
      case c: BinaryComparison if c.left.foldable => compared(turned(c.symbol), c.right, c.left)
      case c: BinaryComparison => compared(c.symbol, c.left, c.right)
      case In(of, list) if list.forall(_.isInstanceOf[Literal]) => in(of, list.collect { case l: Literal => l.value })
      case InSet(of, values) => in(of, values.toSeq)
      case StartsWith(of, prefix) => for (t <- term(of); p <- value(prefix)) yield Seq("prefix", t, p)
      case Like(of, pattern, escape) if withValues =>
        for (t <- term(of); p <- value(pattern)) yield Seq("like", t, p, escape.toString)
      case IsNull(child) => term(child).map(Seq("isnull", _))
      case IsNotNull(child) => term(child).map(Seq("isnotnull", _))
      case flag if flag.dataType == BooleanType =>
        if (withValues) term(flag) else compared("=", flag, Literal(true))
      case _ => None
    }

    private def compared(sign: String, left: Expression, right: Expression): Option[Seq[Any]] =
      if (!comparisons.contains(sign)) None
      else for (l <- term(left); r <- term(right).orElse(value(right))) yield Seq(sign, l, r)

    /** A NULL in a list makes no row satisfy the filter that else would not. */
    private def in(of: Expression, values: Seq[Any]): Option[Seq[Any]] = {
      val known = values.filter(_ != null)
      val texts = if (withValues && known.size <= MostInList) Some(known.flatMap(text(_, of.dataType))) else None
      for (t <- term(of) if known.nonEmpty && texts.forall(_.size == known.size))
        yield Seq("in", t, of.dataType.sql, texts.getOrElse(known.size))
    }

    private def term(of: Expression): Option[Seq[Any]] = of match {
      case KnownNotNull(child) => term(child)
      case Cast(child, to, _, _) => term(child).map(Seq("cast", _, to.sql))
      case column => ColumnPath.of(column).map("column" +: _.parts)
    }

    private def value(of: Expression): Option[Seq[Any]] = of match {
      case Literal(value, dataType) if value != null =>
        if (withValues) text(value, dataType).map(Seq("value", dataType.sql, _)) else Some(Seq("value", dataType.sql))
      case _ => None
    }

    private def text(value: Any, dataType: DataType): Option[String] =
      if (dataType == BinaryType) None
      else Option(Cast(Literal(value, dataType), StringType, zone, ansiEnabled = false).eval()).map(_.toString)
  }

  /** Reads filters over a table, of which it has the columns. */
  final class Reader(columns: Seq[Attribute], session: String) {

    /** None where it is none of a table with these columns. */
    def of(filter: JsonNode): Option[Expression] =
      Try(expression(filter.elements().asScala.toSeq)).toOption.filter(e => e.resolved && e.dataType == BooleanType)

    private def expression(node: Seq[JsonNode]): Expression = {
      def child(i: Int) = expression(node(i).elements().asScala.toSeq)
      def dataType(i: Int) = DataType.fromDDL(node(i).textValue)
      node.head.textValue match {
        case "and" => And(child(1), child(2))
        case "or" => Or(child(1), child(2))
        case "not" => Not(child(1))
        case "in" if node(3).isNumber => In(child(1), Seq.fill(node(3).intValue.min(MostInList))(AnyValue(dataType(2))))
        case "in" => In(child(1), node(3).elements().asScala.map(t => literal(t.textValue, dataType(2))).toSeq)
        case "prefix" =>
          child(2) match {
            // All that begins alike lies together.
            case any: AnyValue => And(GreaterThanOrEqual(child(1), any), LessThanOrEqual(child(1), any))
            case prefix => StartsWith(child(1), prefix)
          }
        case "like" => Like(child(1), child(2), node(3).textValue.head)
        case "isnull" => IsNull(child(1))
        case "isnotnull" => IsNotNull(child(1))
        case "cast" => Cast(child(1), dataType(2), Some(session), ansiEnabled = false)
        case "column" =>
          val names = node.tail.map(_.textValue)
          ColumnPath(columns.find(_.name.equalsIgnoreCase(names.head)).get.name +: names.tail).in(columns)
        case "value" if node.size == 2 => AnyValue(dataType(1))
        case "value" => literal(node(2).textValue, dataType(1))
        case sign => comparisons(sign)(child(1), child(2))
      }
    }

    private def literal(text: String, dataType: DataType): Literal = {
      val value = Cast(Literal(text), dataType, zone, ansiEnabled = false).eval()
      require(value != null)
      Literal(value, dataType)
    }
  }

  // So many values read about all files, whichever they are.
  private val MostInList = 1000
}

/** A value that a recording leaves out, of a type. */
private[advise] final case class AnyValue(dataType: DataType) extends LeafExpression with Unevaluable {
  override def nullable: Boolean = true
}
