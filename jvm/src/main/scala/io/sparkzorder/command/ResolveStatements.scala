package io.sparkzorder.command

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, TableFormats}
import io.sparkzorder.plan.{DescribeLayoutStatement, OptimizeStatement, UnresolvedPathTable}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
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

    case s @ OptimizeStatement(found: ResolvedTable, predicate, columns, options) if ready(s, predicate, found) =>
      val table = TableFormats.of(found, OptimizeZOrderCommand.Statement)
      val parsed = OptimizeOptions.parse(options, OptimizeZOrderCommand.Statement)
      val paths = LayoutColumns.of(columns, table)
      if (paths.isEmpty)
        throw ZOrderErrors.noColumn(
          OptimizeZOrderCommand.Statement,
          table.name,
          LayoutColumns.Limit,
          LayoutColumns.dataColumns(table).take(2).mkString(", "))
      checked(predicate, OptimizeZOrderCommand.Statement, table)
      OptimizeZOrderCommand(table, paths, predicate, parsed)

    case s @ DescribeLayoutStatement(found: ResolvedTable, predicate, columns, extended) if ready(s, predicate, found) =>
      val table = TableFormats.of(found, DescribeLayoutCommand.Statement)
      val paths = LayoutColumns.of(columns, table)
      checked(predicate, DescribeLayoutCommand.Statement, table)
      if (extended) DescribeLayoutExtendedCommand(table, paths, predicate)
      else DescribeLayoutCommand(table, paths, predicate)
  }

  /** Whether all names are resolved; a subquery is refused whether or not its own names can be. */
  private def ready(statement: LogicalPlan, predicate: Option[Expression], found: ResolvedTable): Boolean = {
    if (predicate.exists(SubqueryExpression.hasSubquery))
      throw ZOrderErrors.predicateWithSubquery(statement.nodeName.stripSuffix("Statement").toUpperCase, found.name)
    statement.expressions.forall(_.resolved)
  }

  private def checked(predicate: Option[Expression], statement: String, table: ClusterableTable): Unit =
    predicate.foreach(PartitionPredicate.check(_, statement, table.name, table.partitionColumns))
}
