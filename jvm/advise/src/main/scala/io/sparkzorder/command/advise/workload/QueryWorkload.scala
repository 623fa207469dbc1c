// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.command.explain.QueryScans
import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, PlanExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{CommandExecutionMode, FileSourceScanExec, QueryExecution}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.StructType

/** The workload that queries are, each of which is planned and does not run. */
private[advise] object QueryWorkload {

  /**
   * @param queries
   *   queries as parsed, each of which counts once, however often it reads the table
   * @param table
   *   name of the table
   * @param folder
   *   the table's folder, if it is known
   * @return
   *   a note of queries of the table that read no file of it: of partitions that are not there, or by a condition that
   *   is never true
   * @throws ZOrderAnalysisException
   *   for a query of other tables, and where no query reads a file
   */
  def of(
      session: SparkSession,
      queries: Seq[LogicalPlan],
      table: String,
      folder: Option[Path],
      schema: StructType): Workload = {
    val found = queries.zipWithIndex.map { case (query, i) =>
      // Nothing in a query is a command; should a rule make one of it, it must not run.
      val execution = session.sessionState.executePlan(query, CommandExecutionMode.SKIP)
      val named = new NamedTable(execution.analyzed, table, folder)
      if (!named.isThere) throw ZOrderErrors.queryWithoutTable(table, i + 1)
      val ofTable = ofFiles(execution, named) ++ ofSource(execution.optimizedPlan, named)
      ofTable.map(filters => ScanFilters(filters.flatMap(usable(_, schema)), 1.0 / ofTable.size))
    }
    val idle = found.indices.filter(found(_).isEmpty).map(_ + 1)
    if (idle.size == queries.size) throw ZOrderErrors.queryWithoutTable(table, 1)
    val note =
      if (idle.isEmpty) None
      else
        Some(s"${idle.size} of ${queries.size} queries read no file of the table in any layout " +
          s"(number ${idle.mkString(", ")}), and are left out")
    Workload.of(found.flatten, note.toSeq)
  }

  /** The filters of each scan of files; a scan of which no partition is left has none. */
  private def ofFiles(execution: QueryExecution, named: NamedTable): Seq[Seq[Expression]] =
    QueryScans
      .of(execution.executedPlan)
      .collect {
        case scan: FileSourceScanExec
            if named.isScannedBy(scan.tableIdentifier, scan.relation.location.rootPaths) =>
          scan.partitionFilters ++ scan.dataFilters
      }

  /** The filters above each scan of a table of another source, by its name. */
  private def ofSource(plan: LogicalPlan, named: NamedTable): Seq[Seq[Expression]] = {
    val own = plan match {
      case PhysicalOperation(_, filters, scan: DataSourceV2ScanRelation) =>
        if (named.is(scan.relation)) Seq(filters) else Nil
      case other => other.children.flatMap(ofSource(_, named))
    }
    own ++ plan.subqueries.flatMap(ofSource(_, named))
  }

  /** What needs no other query's result, in the table's own spelling. */
  private def usable(filter: Expression, schema: StructType): Option[Expression] =
    if (!filter.deterministic || filter.exists(_.isInstanceOf[PlanExpression[_]])) None
    else Some(filter.transform { case a: AttributeReference => spelled(a, schema) })

  private def spelled(a: AttributeReference, schema: StructType): AttributeReference =
    schema.fields.find(_.name == a.name).orElse(schema.fields.find(_.name.equalsIgnoreCase(a.name)))
      .fold(a)(f => a.withName(f.name))
}
