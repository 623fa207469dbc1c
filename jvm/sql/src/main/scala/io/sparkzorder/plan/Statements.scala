// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.format.{RepairableTable, TableStatement}

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LeafCommand, LogicalPlan, UnaryCommand}

/** A statement of ours on a table, which may be named by its folder. */
trait StatementOnTable extends UnaryCommand {

  /** What formats and messages know of it. */
  def statement: TableStatement
}

/**
 * A kind of statements.
 *
 * @param Name
 *   what messages call it
 */
sealed abstract class NamedStatement(
    val Name: String,
    isForOwnRecords: Boolean = false,
    isToRepair: Boolean = false) {

  /** What formats and messages know of it. */
  val OnTable: TableStatement = TableStatement(Name, isForOwnRecords, isToRepair)
}

/**
 * `OPTIMIZE <table> [WHERE <predicate>] ZORDER [BY (...)] [OPTIONS (...)] [DRY RUN]` as written.
 *
 * Its expressions are resolved by Spark's own analyzer against the columns of `child`, so nested fields, back-quotes
 * and case follow Spark's rules; then `command.resolve.ResolveStatements` makes the command of it.
 *
 * @param byTableOrder
 *   whether the columns are those of the table's own order, as the statement has no BY
 */
case class OptimizeStatement(
    child: LogicalPlan,
    predicate: Option[Expression],
    columns: Seq[Expression],
    options: Map[String, String],
    dryRun: Boolean,
    byTableOrder: Boolean = false)
    extends StatementOnTable {

  override def statement: TableStatement = OptimizeStatement.OnTable

  override protected def withNewChildInternal(newChild: LogicalPlan): OptimizeStatement = copy(child = newChild)
}

object OptimizeStatement extends NamedStatement("OPTIMIZE ... ZORDER BY")

/**
 * `OPTIMIZE <table> [WHERE <predicate>] [OPTIONS (...)] [DRY RUN]` as written, which makes larger files of small ones; see
 * [[OptimizeStatement]].
 */
case class CompactStatement(
    child: LogicalPlan,
    predicate: Option[Expression],
    options: Map[String, String],
    dryRun: Boolean)
    extends StatementOnTable {

  override def statement: TableStatement = CompactStatement.OnTable

  override protected def withNewChildInternal(newChild: LogicalPlan): CompactStatement = copy(child = newChild)
}

object CompactStatement extends NamedStatement("OPTIMIZE")

/**
 * `DESCRIBE LAYOUT [EXTENDED] <table> [ON (...)] [WHERE <predicate>]` as written, or a function that returns the same;
 * see [[OptimizeStatement]].
 *
 * @param name
 *   what messages call it
 */
case class DescribeLayoutStatement(
    child: LogicalPlan,
    predicate: Option[Expression],
    columns: Seq[Expression],
    rows: DescribeLayoutStatement.Rows,
    name: String = DescribeLayoutStatement.Name)
    extends StatementOnTable {

  override def statement: TableStatement = TableStatement(name)

  override protected def withNewChildInternal(newChild: LogicalPlan): DescribeLayoutStatement = copy(child = newChild)
}

object DescribeLayoutStatement extends NamedStatement("DESCRIBE LAYOUT") {

  /** What its rows are about. */
  sealed trait Rows

  /** Each column, for people. */
  case object ForPeople extends Rows

  /** Each file and column. */
  case object PerFile extends Rows

  /** Each column in exact figures; `allRows`: not from a sample of the rows. */
  final case class Exact(allRows: Boolean) extends Rows
}

/**
 * `EXPLAIN SKIPPING <query>` as written.
 *
 * The query is no child: below a command Spark's analyzer treats a query otherwise than by itself (it inlines its
 * common table expressions, for one), and the scans would not be those of the query.
 *
 * @param query
 *   the parsed query, or the first word of what is no query
 * @param name
 *   what messages call it
 */
case class ExplainSkippingStatement(
    query: Either[String, LogicalPlan],
    name: String = ExplainSkippingStatement.Name)
    extends LeafCommand

object ExplainSkippingStatement extends NamedStatement("EXPLAIN SKIPPING")

/**
 * `ADVISE LAYOUT <table> [ON (...)] [FOR (<query>), ...] [WHERE <predicate>] [OPTIONS (...)]` as written; see
 * [[OptimizeStatement]].
 *
 * @param queries
 *   the workload, each query as of [[ExplainSkippingStatement]], for the same reason no child
 */
case class AdviseLayoutStatement(
    child: LogicalPlan,
    predicate: Option[Expression],
    columns: Seq[Expression],
    queries: Seq[Either[String, LogicalPlan]],
    options: Map[String, String])
    extends StatementOnTable {

  override def statement: TableStatement = AdviseLayoutStatement.OnTable

  override protected def withNewChildInternal(newChild: LogicalPlan): AdviseLayoutStatement = copy(child = newChild)
}

object AdviseLayoutStatement extends NamedStatement("ADVISE LAYOUT")

/**
 * `ANALYZE TABLE <table> COMPUTE FILE STATISTICS [FOR COLUMNS ... | FOR ALL COLUMNS]` as written; see
 * [[OptimizeStatement]].
 *
 * @param columns
 *   the named columns; none where the statement does not say FOR COLUMNS
 * @param allColumns
 *   whether it says FOR ALL COLUMNS
 */
case class AnalyzeFileStatisticsStatement(child: LogicalPlan, columns: Seq[Expression], allColumns: Boolean)
    extends StatementOnTable {

  override def statement: TableStatement = AnalyzeFileStatisticsStatement.OnTable

  override protected def withNewChildInternal(newChild: LogicalPlan): AnalyzeFileStatisticsStatement =
    copy(child = newChild)
}

object AnalyzeFileStatisticsStatement
    extends NamedStatement("ANALYZE TABLE ... COMPUTE FILE STATISTICS", isForOwnRecords = true)

/**
 * `ALTER TABLE <table> SORT BY [LEXICAL | ZORDER] (...)` as written; see [[OptimizeStatement]].
 *
 * @param columns
 *   none ends the order of the table
 * @param isZOrder
 *   whether it says ZORDER
 */
case class SortTableStatement(child: LogicalPlan, columns: Seq[Expression], isZOrder: Boolean) extends UnaryCommand {

  override protected def withNewChildInternal(newChild: LogicalPlan): SortTableStatement = copy(child = newChild)
}

object SortTableStatement extends NamedStatement("ALTER TABLE ... SORT BY")

/**
 * `DESCRIBE REWRITES <table>`, `RESTORE TABLE <table> TO BEFORE REWRITE <number>` or
 * `VACUUM <table> REPLACED FILES [RETAIN <number> HOURS] [DRY RUN]` as written; see [[OptimizeStatement]].
 */
case class ReplacedFilesStatement(child: LogicalPlan, action: ReplacedFilesStatement.Action) extends StatementOnTable {

  override def statement: TableStatement = action.onTable

  override protected def withNewChildInternal(newChild: LogicalPlan): ReplacedFilesStatement = copy(child = newChild)
}

object ReplacedFilesStatement {

  /**
   * What is to be done with the files that rewrites have replaced.
   *
   * @param name
   *   what messages call the statement
   */
  sealed abstract class Action(val name: String) {
    def onTable: TableStatement = TableStatement(name, isForOwnRecords = true)
  }

  case object Describe extends Action("DESCRIBE REWRITES")

  /** @param rewrite the number of the rewrite that is taken back */
  final case class Restore(rewrite: Long) extends Action("RESTORE TABLE ... TO BEFORE REWRITE")

  /** @param retainHours the age from which they go, in hours; None for the time for which they were to be kept */
  final case class Vacuum(retainHours: Option[Long], dryRun: Boolean) extends Action("VACUUM ... REPLACED FILES")
}

/** `FSCK REPAIR TABLE <table> [DRY RUN]` as written; see [[OptimizeStatement]]. */
case class RepairTableStatement(child: LogicalPlan, dryRun: Boolean) extends StatementOnTable {

  override def statement: TableStatement = RepairTableStatement.OnTable

  override protected def withNewChildInternal(newChild: LogicalPlan): RepairTableStatement = copy(child = newChild)
}

object RepairTableStatement
    extends NamedStatement(RepairableTable.Statement, isForOwnRecords = true, isToRepair = true)
