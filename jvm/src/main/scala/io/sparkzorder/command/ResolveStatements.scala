package io.sparkzorder.command

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, IndexedTable, TableFormats}
import io.sparkzorder.plan._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Makes commands of statements once Spark has resolved their table, columns and predicate.
 *
 * Everything that the names and types alone can tell is refused here; what needs the files waits until the command runs.
 */
class ResolveStatements(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case table: UnresolvedPathTable => TableFormats.resolvePath(session, table)

    case s @ OptimizeStatement(found: ResolvedTable, predicate, columns, options, dryRun)
        if ready(s, predicate, found, OptimizeStatement.Name) =>
      val table = TableFormats.of(session, found, OptimizeStatement.Name)
      val parsed = OptimizeOptions.parse(options, OptimizeStatement.Name)
      val paths = LayoutColumns.of(columns.map(spelled(_, found)), table)
      if (paths.isEmpty)
        throw ZOrderErrors.noColumn(
          OptimizeStatement.Name,
          table.name,
          LayoutColumns.Limit,
          LayoutColumns.dataColumns(table).take(2).mkString(", "))
      val where = predicate.map(checked(_, OptimizeStatement.Name, table, found, parsed.overlappingFiles))
      OptimizeZOrderCommand(table, paths, where, parsed, dryRun)

    case s @ DescribeLayoutStatement(found: ResolvedTable, predicate, columns, extended)
        if ready(s, predicate, found, DescribeLayoutStatement.Name) =>
      val table = TableFormats.of(session, found, DescribeLayoutStatement.Name)
      val paths = LayoutColumns.of(columns.map(spelled(_, found)), table)
      val where = predicate.map(checked(_, DescribeLayoutStatement.Name, table, found, choosesFiles = false))
      if (extended) DescribeLayoutExtendedCommand(table, paths, where)
      else DescribeLayoutCommand(table, paths, where)

    case s @ AnalyzeFileStatisticsStatement(found: ResolvedTable, columns, all) if s.expressions.forall(_.resolved) =>
      import AnalyzeFileStatisticsStatement.Name
      TableFormats.of(session, found, Name) match {
        case table: IndexedTable =>
          val named = LayoutColumns.named(columns.map(spelled(_, found)), table)
          table.requireIndexable(named)
          val chosen = if (all) Some(table.indexableColumns) else Some(named).filter(_.nonEmpty)
          AnalyzeFileStatisticsCommand(table, chosen)
        case _ => throw ZOrderErrors.ownStatistics(found.name, Name)
      }
    case ExplainSkippingStatement(Right(query)) => ExplainSkippingCommand(query)
    case ExplainSkippingStatement(Left(firstWord)) =>
      throw ZOrderErrors.notAQuery(ExplainSkippingStatement.Name, firstWord)
  }

  /** Whether all names are resolved; a subquery is refused whether or not its own names can be. */
  private def ready(
      plan: LogicalPlan,
      predicate: Option[Expression],
      found: ResolvedTable,
      statement: String): Boolean = {
    if (predicate.exists(SubqueryExpression.hasSubquery))
      throw ZOrderErrors.predicateWithSubquery(statement, found.name)
    plan.expressions.forall(_.resolved)
  }

  private def checked(
      predicate: Expression,
      statement: String,
      table: ClusterableTable,
      found: ResolvedTable,
      choosesFiles: Boolean): Expression = {
    val own = CharPadding.asRead(spelled(predicate, found))
    PartitionPredicate.check(own, statement, table.name, table.partitionColumns, choosesFiles)
    own
  }

  /** The expression with columns in the table's spelling: Spark resolves a name but keeps the case in which it came. */
  private def spelled(expression: Expression, found: ResolvedTable): Expression = expression.transform {
    case a: AttributeReference => found.output.find(_.exprId == a.exprId).getOrElse(a)
  }
}
