// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import scala.jdk.CollectionConverters._

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{TableStatement, UnresolvedPathTable}
import io.sparkzorder.parser.SortedTable.SortBy
import io.sparkzorder.parser.ZOrderSqlBaseParser._
import io.sparkzorder.plan.{
  AdviseLayoutStatement,
  AnalyzeFileStatisticsStatement,
  CompactStatement,
  DescribeLayoutStatement,
  ExplainSkippingStatement,
  OptimizeStatement,
  RepairTableStatement,
  ReplacedFilesStatement,
  SortTableStatement
}

import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.antlr.v4.runtime.misc.Interval

import org.apache.spark.sql.catalyst.analysis.{
  ExpressionWithUnresolvedIdentifier,
  PlanWithUnresolvedIdentifier,
  UnresolvedAttribute,
  UnresolvedTable
}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.{AbstractSqlParser, ParseException, ParserInterface, ParserUtils}
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan, ParsedStatement}
import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/**
 * Turns a parse tree of our grammar into unresolved plans. Predicates are parsed by Spark, through the parser `below`.
 */
private[parser] class ZOrderAstBuilder(below: ParserInterface) {

  /** @param tree that of a single statement or of a single compaction */
  def statement(tree: ParserRuleContext): LogicalPlan = (tree: @unchecked) match {
    case single: SingleStatementContext =>
      (single.statement(): @unchecked) match {
        case explain: ExplainContext => explained(command(explain.command()), explain.how)
        case run: RunContext => command(run.command())
      }
    case single: SingleCompactionContext =>
      val compaction = compact(single.compaction())
      if (single.EXPLAIN() == null) compaction else explained(compaction, single.how)
  }

  private def explained(statement: LogicalPlan, how: ExplainModeContext): LogicalPlan = {
    val mode = Option(how).fold("simple")(_.getText)
    // LOGICAL is in Spark's grammar too, though Spark refuses it; EXTENDED shows what it asks for.
    ExplainCommand(statement, ExplainMode.fromString(if (mode.equalsIgnoreCase("logical")) "extended" else mode))
  }

  private def compact(tree: CompactionContext): LogicalPlan =
    CompactStatement(
      target(tree.tableTarget(), CompactStatement.OnTable),
      predicate(tree.predicate(), Forms.Optimize),
      options(tree.option().asScala.toSeq),
      dryRun = tree.DRY() != null
    )

  private def command(tree: CommandContext): LogicalPlan = (tree: @unchecked) match {
    case t: OptimizeContext => optimize(t)
    case t: DescribeLayoutContext => describeLayout(t)
    case t: AnalyzeFileStatisticsContext =>
      AnalyzeFileStatisticsStatement(
        target(t.tableTarget(), AnalyzeFileStatisticsStatement.OnTable),
        t.column().asScala.map(column).toSeq,
        allColumns = t.ALL() != null)
    case t: ExplainSkippingContext =>
      val found = query(t.query())
      if (found.isLeft) Slips.of(wholeText(t)).foreach(throw _)
      ExplainSkippingStatement(found)
    case t: AdviseLayoutContext => adviseLayout(t)
    case t: DescribeRewritesContext => replacedFiles(t.tableTarget(), ReplacedFilesStatement.Describe)
    case t: RestoreTableContext =>
      replacedFiles(t.tableTarget(), ReplacedFilesStatement.Restore(whole(t.wholeNumber(), Forms.Restore)))
    case t: VacuumReplacedFilesContext =>
      val hours = Option(t.wholeNumber()).map(whole(_, Forms.Vacuum))
      replacedFiles(t.tableTarget(), ReplacedFilesStatement.Vacuum(hours, dryRun = t.DRY() != null))
    case t: RepairTableContext =>
      RepairTableStatement(target(t.tableTarget(), RepairTableStatement.OnTable), dryRun = t.DRY() != null)
    case t: SortTableContext =>
      SortTableStatement(
        sortedTable(t.sortedTable()),
        t.sortBy().column().asScala.map(column).toSeq,
        isZOrder = t.sortBy().ZORDER() != null)
  }

  private def optimize(tree: OptimizeContext): LogicalPlan =
    if (givenBack(tree)) {
      val text = inPlace(tree)
      below.parsePlan(OptimizeSlips.withoutTableWord(text).getOrElse(text))
    } else
      OptimizeStatement(
        target(tree.tableTarget(), OptimizeStatement.OnTable),
        predicate(tree.predicate(), Forms.Optimize),
        Option(tree.columns()).toSeq.flatMap(_.column().asScala).map(column),
        options(tree.option().asScala.toSeq),
        dryRun = tree.DRY() != null,
        byTableOrder = tree.columns() == null
      )

  private def describeLayout(tree: DescribeLayoutContext): LogicalPlan =
    DescribeLayoutStatement(
      target(tree.tableTarget(), TableStatement(DescribeLayoutStatement.Name)),
      predicate(tree.predicate(), Forms.DescribeLayout),
      tree.column().asScala.map(column).toSeq,
      if (tree.EXTENDED() == null) DescribeLayoutStatement.ForPeople else DescribeLayoutStatement.PerFile
    )

  private def adviseLayout(tree: AdviseLayoutContext): LogicalPlan =
    AdviseLayoutStatement(
      target(tree.tableTarget(), AdviseLayoutStatement.OnTable),
      predicate(tree.predicate(), Forms.AdviseLayout),
      tree.column().asScala.map(column).toSeq,
      tree.workloadQuery().asScala.map(q => query(q.enclosedQuery())).toSeq,
      options(tree.option().asScala.toSeq)
    )

  private def replacedFiles(table: TableTargetContext, action: ReplacedFilesStatement.Action): LogicalPlan =
    ReplacedFilesStatement(target(table, action.onTable), action)

  private def whole(tree: WholeNumberContext, form: String): Long = {
    Option(tree.parameterMarker()).foreach(unbound)
    if (tree.getText.matches("\\d{1,9}")) tree.getText.toLong
    else throw ZOrderErrors.unexpected(s"'${tree.getText}'", form, ParserUtils.position(tree.getStart))
  }

  /** The clause SORT BY of a statement that creates a table. */
  def sortBy(tree: SortClauseContext): SortBy = {
    val place = ParserUtils.position(tree.getStart)
    val columns = tree.sortBy().column().asScala.toSeq
    if (columns.isEmpty) throw ZOrderErrors.emptySortBy(place)
    SortBy(columns.map(sortColumn), isZOrder = tree.sortBy().ZORDER() != null, place)
  }

  private def sortColumn(tree: ColumnContext): Seq[String] =
    if (tree.name() != null) nameParts(tree.name())
    else
      computedName(tree.identifierClause()).getOrElse {
        throw ZOrderErrors.computedSortColumn(tree.getText, ParserUtils.position(tree.getStart))
      }

  /** A table that only a catalog knows by a name; what a folder holds is no definition that could be altered. */
  private def sortedTable(tree: SortedTableContext): LogicalPlan = {
    def table(parts: Seq[String]) = UnresolvedTable(parts, SortTableStatement.Name)
    if (tree.name() != null) table(nameParts(tree.name()))
    else
      computedName(tree.identifierClause()) match {
        case Right(parts) => table(parts)
        case Left(name) => PlanWithUnresolvedIdentifier(name, Nil, (parts, _) => table(parts))
      }
  }

  /** A query, parsed; of anything else only its first word, so that nothing of it is ever analysed or carried out. */
  private def query(tree: ParserRuleContext): Either[String, LogicalPlan] = {
    val first = tree.getStart.getText.toUpperCase(java.util.Locale.ROOT)
    if (!SortClause.beginsQuery(first)) Left(first)
    else
      Right(below.parsePlan(inPlace(tree))).filterOrElse(
        // WITH and FROM begin statements that write, too.
        !_.exists(p => p.isInstanceOf[Command] || p.isInstanceOf[ParsedStatement]),
        first)
  }

  /**
   * Whether the user wants Delta's own implementation of a statement that Delta's parser reads as well. Without another
   * extension's parser below nobody but us knows it.
   */
  private def givenBack(tree: OptimizeContext): Boolean =
    !ZOrderConf.deltaTakeover(SQLConf.get) && tree.columns() != null && tree.OPTIONS() == null && tree.DRY() == null &&
      !below.isInstanceOf[AbstractSqlParser]

  private def target(tree: TableTargetContext, statement: TableStatement): LogicalPlan =
    if (tree.path != null) UnresolvedPathTable(None, text(tree.path), statement)
    else if (tree.parameterMarker() != null) unbound(tree.parameterMarker())
    else if (tree.name() != null) UnresolvedPathTable.orNamed(nameParts(tree.name()), statement)
    else
      computedName(tree.identifierClause()) match {
        case Right(parts) => UnresolvedPathTable.orNamed(parts, statement)
        case Left(name) =>
          PlanWithUnresolvedIdentifier(name, Nil, (parts, _) => UnresolvedPathTable.orNamed(parts, statement))
      }

  /** The name in `IDENTIFIER(...)`, or what gives it when it is analyzed: a variable or a function. */
  private def computedName(tree: IdentifierClauseContext): Either[Expression, Seq[String]] =
    below.parseExpression(inPlace(tree.nameExpression())) match {
      case Literal(name, _: StringType) if name != null => Right(below.parseMultipartIdentifier(name.toString))
      case expression => Left(expression)
    }

  private def predicate(tree: PredicateContext, form: String): Option[Expression] = Option(tree).map { t =>
    val parsed = below.parseExpression(inPlace(t))
    Predicates.nameOf(parsed).foreach { word =>
      throw Slips.of(wholeText(tree)).getOrElse(
        ZOrderErrors.unexpected(s"'$word'", form, ParserUtils.position(tree.getStop)))
    }
    parsed
  }

  private def wholeText(tree: ParserRuleContext): String = {
    val input = tree.getStart.getInputStream
    input.getText(Interval.of(0, input.size - 1))
  }

  /**
   * The text as written (joining the tokens would lose white space and comments), after as many blanks as there is
   * text before it: errors then name the position in the statement.
   */
  private def inPlace(tree: ParserRuleContext): String = {
    def text(from: Int, to: Int) = tree.getStart.getInputStream.getText(Interval.of(from, to))
    val start = tree.getStart.getStartIndex
    SparkTokens.blank(text(0, start - 1)) + text(start, tree.getStop.getStopIndex)
  }

  private def column(tree: ColumnContext): Expression =
    if (tree.name() != null) UnresolvedAttribute(nameParts(tree.name()))
    else computedName(tree.identifierClause()) match {
      case Right(parts) => UnresolvedAttribute(parts)
      case Left(name) => ExpressionWithUnresolvedIdentifier(name, Nil, (parts, _) => UnresolvedAttribute(parts))
    }

  private def nameParts(tree: NameContext): Seq[String] = tree.namePart().asScala.toSeq.flatMap { part =>
    part.parameterMarker().asScala.foreach(unbound)
    if (part.identifier() != null) Seq(name(part.identifier()))
    else below.parseMultipartIdentifier(part.STRING().asScala.map(s => text(s.getSymbol)).mkString)
  }

  private def name(tree: IdentifierContext): String = Option(tree.QUOTED_IDENTIFIER()).map(_.getText) match {
    case Some(quoted) => quoted.drop(1).dropRight(1).replace(quoted.take(1) * 2, quoted.take(1))
    case None => tree.getText
  }

  /** A marker that no value was put in for. */
  private def unbound(marker: ParameterMarkerContext): Nothing = {
    val name = if (marker.COLON() == null) s"_${marker.getStart.getStartIndex}" else marker.getText.drop(1)
    throw new ParseException("UNBOUND_SQL_PARAMETER", Map("name" -> name), marker)
  }

  private def options(trees: Seq[OptionContext]): Map[String, String] = {
    val pairs = trees.map { tree =>
      val key = Option(tree.optionKey().STRING()).fold(tree.optionKey().getText)(s => text(s.getSymbol))
      Option(tree.optionValue().parameterMarker()).foreach(unbound)
      val value = Option(tree.optionValue().STRING()).fold(tree.optionValue().getText)(s => text(s.getSymbol))
      key.toLowerCase(java.util.Locale.ROOT) -> value
    }
    pairs.groupBy(_._1).collectFirst { case (key, several) if several.size > 1 => key }.foreach { key =>
      throw new ParseException("DUPLICATE_KEY", Map("keyColumn" -> s"`$key`"), trees.head)
    }
    pairs.toMap
  }

  private def text(token: Token): String = ParserUtils.string(token)
}
