// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{ColumnPath, TableOrder, ZOrderColumn}
import io.sparkzorder.command.{
  AnalyzeFileStatisticsCommand,
  DescribeLayoutCommand,
  ExplainSkippingCommand,
  LayoutColumnsCommand,
  LayoutFilesCommand,
  RepairTableCommand,
  ReplacedFilesCommand,
  StatementCommand
}
import io.sparkzorder.command.optimize.{OptimizeCommand, OptimizeOptions}
import io.sparkzorder.errors.{UnexpectedError, ZOrderErrors}
import io.sparkzorder.format.{
  ClusterableTable,
  IndexedTable,
  OwnRecords,
  RepairableTable,
  RestorableTable,
  TableFormats,
  UnresolvedPathTable
}
import io.sparkzorder.plan.{
  AnalyzeFileStatisticsStatement,
  CommandRows,
  CompactStatement,
  DescribeLayoutStatement,
  ExplainSkippingStatement,
  OptimizeStatement,
  RepairTableStatement,
  ReplacedFilesStatement,
  SortTableStatement,
  StatementOnTable,
  StatementRows,
  TableFunctionCall
}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  AnalysisContext,
  ExpressionWithUnresolvedIdentifier,
  ResolvedTable,
  UnresolvedAttribute,
  UnresolvedTable
}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SetTableProperties, UnsetTableProperties}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Makes commands of statements once Spark has resolved their table, columns and predicate; ADVISE LAYOUT has a rule of its
 * own.
 *
 * Everything that the names and types alone show is refused here; what needs the files waits until the command
 * runs.
 */
class ResolveStatements(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  private val functions = new FunctionStatements(session)

  override def apply(plan: LogicalPlan): LogicalPlan = UnexpectedError.named(statementIn(plan))(resolved(plan))

  /** What messages call the statement in a plan that holds one. */
  private def statementIn(plan: LogicalPlan): String = plan.collectFirst {
    case s: StatementOnTable => s.statement.name
    case call: TableFunctionCall => call.name
    case _: ExplainSkippingStatement => ExplainSkippingStatement.Name
    case _: SortTableStatement => SortTableStatement.Name
  }.getOrElse("The analysis of a statement")

  private def resolved(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case table: UnresolvedPathTable => formats.resolvePath(session, table)
    case s: StatementOnTable if Folder.unapply(s.child).isDefined =>
      s.mapChildren(child =>
        Folder.unapply(child).fold(child) { case (format, path) =>
          formats.resolvePath(session, UnresolvedPathTable(Some(format), path, s.statement))
        })

    case s @ OptimizeStatement(found: ResolvedTable, predicate, _, _, _, _)
        if ResolvedParts.areIn(s, predicate, found, OptimizeStatement.Name) =>
      optimized(s, found)
    case s @ CompactStatement(found: ResolvedTable, predicate, _, _)
        if ResolvedParts.areIn(s, predicate, found, CompactStatement.Name) =>
      Compaction.resolved(s, found, formats.tableOf(session, found, s.statement))
    case s @ DescribeLayoutStatement(found: ResolvedTable, predicate, _, _, name)
        if ResolvedParts.areIn(s, predicate, found, name) =>
      described(s, found)

    case call: TableFunctionCall => StatementRows(functions.statement(call))
    case StatementRows(command: StatementCommand) => CommandRows.of(command)

    case s @ AnalyzeFileStatisticsStatement(found: ResolvedTable, _, _) if s.expressions.forall(_.resolved) =>
      analyzed(s, found)
    case s @ ReplacedFilesStatement(found: ResolvedTable, action) =>
      ofFormat(s, found, OwnRecords.Rewrites) { case table: RestorableTable =>
        ReplacedFilesCommand(table, action)
      }
    case s @ RepairTableStatement(found: ResolvedTable, dryRun) =>
      ofFormat(s, found, OwnRecords.Log) { case table: RepairableTable =>
        RepairTableCommand(table, dryRun)
      }

    case SortTableStatement(BareFolder(name, path), _, _) => refuseOrder(name, path)
    case SetTableProperties(BareFolder(name, path), properties) if formats.touchOrder(properties) =>
      refuseOrder(name, path)
    case s @ SortTableStatement(found: ResolvedTable, _, _) if !s.expressions.exists(isUnnamed) => sorted(s, found)

    case ExplainSkippingStatement(Right(query), _) =>
      ExplainSkippingCommand(query, formats, AnalysisContext.get.catalogAndNamespace)
    case ExplainSkippingStatement(Left(firstWord), name) => throw ZOrderErrors.notAQuery(name, firstWord)
  }

  private def optimized(s: OptimizeStatement, found: ResolvedTable): LogicalPlan = {
    val table = formats.tableOf(session, found, s.statement)
    val options = OptimizeOptions.parse(s.options, OptimizeStatement.Name)
    options.requireKeepable(table)
    val paths =
      if (s.byTableOrder && table.properties.isEmpty) refuseOrder(table.name, found.identifier.name)
      else if (s.byTableOrder) LayoutColumns.ofOrder(table)
      else LayoutColumns.of(s.columns.map(ResolvedParts.spelled(_, found)), table)
    if (paths.isEmpty)
      throw ZOrderErrors.noColumn(
        OptimizeStatement.Name,
        table.name,
        ZOrderColumn.Limit,
        LayoutColumns.dataColumns(table).take(2).mkString(", "))
    val where =
      s.predicate.map(ResolvedParts.checked(_, OptimizeStatement.Name, table, found, options.overlappingFiles))
    OptimizeCommand(table, paths, where, options, s.dryRun)
  }

  private def described(s: DescribeLayoutStatement, found: ResolvedTable): LogicalPlan = {
    val table = formats.tableOf(session, found, s.statement)
    val paths = LayoutColumns.of(s.columns.map(ResolvedParts.spelled(_, found)), table)
    val where = s.predicate.map(ResolvedParts.checked(_, s.name, table, found, choosesFiles = false))
    s.rows match {
      case DescribeLayoutStatement.ForPeople => DescribeLayoutCommand(table, paths, where)
      case DescribeLayoutStatement.PerFile => LayoutFilesCommand(table, paths, where, s.name)
      case DescribeLayoutStatement.Exact(allRows) => LayoutColumnsCommand(table, paths, where, allRows)
    }
  }

  private def analyzed(s: AnalyzeFileStatisticsStatement, found: ResolvedTable): LogicalPlan =
    ofFormat(s, found, OwnRecords.Statistics) { case table: IndexedTable =>
      val named = LayoutColumns.named(s.columns.map(ResolvedParts.spelled(_, found)), table)
      table.requireIndexable(named)
      val chosen = if (s.allColumns) Some(table.indexableColumns) else Some(named).filter(_.nonEmpty)
      AnalyzeFileStatisticsCommand(table, chosen)
    }

  /** The command of a statement on what this project keeps of tables of some formats only. */
  private def ofFormat(s: StatementOnTable, found: ResolvedTable, records: OwnRecords)(
      command: PartialFunction[ClusterableTable, LogicalPlan]): LogicalPlan =
    command.applyOrElse(
      formats.tableOf(session, found, s.statement),
      (other: ClusterableTable) => throw other.refusal(records, s.statement.name))

  /** Spark's own statement that sets or removes the properties of the order. It is resolved, and so is a table. */
  private def sorted(statement: SortTableStatement, found: ResolvedTable): LogicalPlan =
    if (statement.columns.isEmpty) UnsetTableProperties(found, TableOrder.PropertyNames, ifExists = true)
    else {
      val columns = statement.columns.map(ResolvedParts.spelled(_, found)).map {
        case u: UnresolvedAttribute => u.nameParts
        case column => ColumnPath.of(column).fold(Seq(column.sql))(_.parts)
      }
      val set = TableOrder.properties(columns, statement.isZOrder)
      // What the table has beside them, such as 'sort.scope', stays.
      val checked = OrderedTable.of(found).checked(set, formats)
      SetTableProperties(found, checked)
    }

  /** Whether the name of a column is not known yet. */
  private def isUnnamed(column: Expression): Boolean = column.exists(_.isInstanceOf[ExpressionWithUnresolvedIdentifier])

  /**
   * The format and the folder that a name like `` parquet.`t` `` means. Spark looks for a table of that name first, also
   * where it reads files by such a name; its rule for tables comes before ours.
   */
  private object Folder {
    def unapply(table: LogicalPlan): Option[(String, String)] = table match {
      case u: UnresolvedTable =>
        Some(u.multipartIdentifier).collect {
          case Seq(format, path) if formats.readsFolders(session, format) => (format, path)
        }
      case _ => None
    }
  }

  /** Name and path of a folder without properties. Other folders are tables to catalogs of their formats. */
  private object BareFolder {
    def unapply(table: LogicalPlan): Option[(String, String)] = Folder.unapply(table).collect {
      case (format, path) if formats.named(format).exists(_.isBareFiles) => (s"$format.`$path`", path)
    }
  }

  private def refuseOrder(name: String, path: String): Nothing = throw ZOrderErrors.folderWithoutOrder(name, path)
}
