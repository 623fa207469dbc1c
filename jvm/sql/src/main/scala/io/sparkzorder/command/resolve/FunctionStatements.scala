// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import java.util.Locale

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.expressions.Constant
import io.sparkzorder.format.{TableStatement, UnresolvedPathTable}
import io.sparkzorder.parser.Predicates
import io.sparkzorder.plan.{DescribeLayoutStatement, ExplainSkippingStatement, TableFunctionCall, TableFunctions}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, NullType, StringType}

/** Makes of the call of a table function the statement that returns the same, with names as yet unresolved. */
private[resolve] class FunctionStatements(session: SparkSession) {

  private def parser = session.sessionState.sqlParser

  def statement(call: TableFunctionCall): LogicalPlan = {
    val arguments = new FunctionArguments(call)
    call.name match {
      case TableFunctions.ExplainSkipping => skipping(arguments.required("query"), call.name)
      case TableFunctions.LayoutFiles => layout(call.name, arguments, DescribeLayoutStatement.PerFile)
      case _ =>
        layout(call.name, arguments, DescribeLayoutStatement.Exact(arguments.flag("all_rows")))
    }
  }

  private def layout(name: String, arguments: FunctionArguments, rows: DescribeLayoutStatement.Rows): LogicalPlan =
    DescribeLayoutStatement(
      table(arguments.required("table"), TableStatement(name)),
      arguments.text("where").map(predicate(_, name)),
      arguments.texts("columns").map(c => UnresolvedAttribute(parser.parseMultipartIdentifier(c))),
      rows,
      name
    )

  private def predicate(text: String, name: String): Expression = {
    val parsed = parser.parseExpression(text)
    Predicates.nameOf(parsed).foreach { word =>
      throw ZOrderErrors.unexpected(s"'$word'", s"$name(..., where => '<predicate>')", parsed.origin)
    }
    parsed
  }

  /**
   * As in a statement, and without the quotes that a folder has there: a name has a slash between back-quotes only.
   */
  private def table(text: String, statement: TableStatement): LogicalPlan = {
    val trimmed = text.trim
    // Not where a session takes double quotes for those of a name.
    def quoted = parser.parseExpression(trimmed) match {
      case Literal(path, _: StringType) => Some(path.toString)
      case _ => None
    }
    val path = if (trimmed.length > 1 && "'\"".contains(trimmed.head) && trimmed.last == trimmed.head) quoted else None
    path.map(UnresolvedPathTable(None, _, statement)).getOrElse {
      try UnresolvedPathTable.orNamed(parser.parseMultipartIdentifier(trimmed), statement)
      catch { case _: ParseException if trimmed.contains('/') => UnresolvedPathTable(None, trimmed, statement) }
    }
  }

  /** The query by the rules of the statement. Its text is looked at no further than there. */
  private def skipping(query: String, name: String): LogicalPlan =
    parser.parsePlan(s"${ExplainSkippingStatement.Name} $query") match {
      case statement: ExplainSkippingStatement => statement.copy(name = name)
      case other => other
    }
}

/**
 * The arguments of the call of a table function, with names or in their order; each a constant.
 *
 * @throws ZOrderAnalysisException
 *   for arguments that there are not, that are given twice or without a name after one with a name
 */
private[resolve] class FunctionArguments(call: TableFunctionCall) {
  import call.name

  private val names = TableFunctions.arguments(name)

  private val passed: Map[String, Expression] = {
    val (unnamed, named) = call.arguments.span(!_.isInstanceOf[NamedArgumentExpression])
    if (unnamed.size > names.size) throw ZOrderErrors.tooManyArguments(name, call.arguments.size, names)
    val pairs = names.zip(unnamed) ++ named.map {
      case NamedArgumentExpression(key, value) =>
        val known = names.find(_ == key.toLowerCase(Locale.ROOT))
        known.getOrElse(throw ZOrderErrors.unknownArgument(name, key, names)) -> value
      case value => throw ZOrderErrors.unnamedAfterNamed(name, value, names)
    }
    pairs.groupBy(_._1).collectFirst { case (key, several) if several.size > 1 => key }.foreach { key =>
      throw ZOrderErrors.argumentTwice(name, key)
    }
    pairs.toMap
  }

  /** @throws ZOrderAnalysisException where it is left out, NULL, or no string */
  def required(argument: String): String =
    text(argument).getOrElse(throw ZOrderErrors.missingArgument(name, argument, names))

  def text(argument: String): Option[String] =
    value(argument, "a STRING") { case _: StringType => true; case _ => false }.map(_.toString)

  def flag(argument: String): Boolean = value(argument, "a BOOLEAN")(_ == BooleanType).contains(true)

  def texts(argument: String): Seq[String] = {
    val found = value(argument, "an ARRAY<STRING>") {
      case ArrayType(_: StringType | NullType, _) => true
      case _ => false
    }
    found.map(_.asInstanceOf[ArrayData]).toSeq.flatMap { array =>
      (0 until array.numElements()).map { i =>
        if (array.isNullAt(i)) throw wrongType(argument, passed(argument), "an ARRAY<STRING> without NULL")
        array.getUTF8String(i).toString
      }
    }
  }

  /** The value in Spark's internal form; None if it is left out or NULL. */
  private def value(argument: String, expected: String)(isFit: DataType => Boolean): Option[Any] =
    passed.get(argument).flatMap { expression =>
      val found = Constant.valueOf(expression)
        .getOrElse(throw ZOrderErrors.nonConstantArgument(name, argument, expression))
      if (expression.dataType != NullType && !isFit(expression.dataType))
        throw wrongType(argument, expression, expected)
      Option(found)
    }

  private def wrongType(argument: String, value: Expression, expected: String): Exception =
    ZOrderErrors.invalidArgumentType(
      name,
      names.indexOf(argument) + 1,
      value,
      s"$expected as $argument",
      s"Its arguments are ${names.mkString(", ")}, as in columns => array('a', 'b')."
    )
}
