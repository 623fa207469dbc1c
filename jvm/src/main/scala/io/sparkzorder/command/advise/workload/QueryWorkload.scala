// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.command.explain.QueryScans
import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, PlanExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.{CommandExecutionMode, FileSourceScanExec, QueryExecution}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
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
   * @throws ZOrderAnalysisException
   *   for a query that does not read the table
   */
  def of(
      session: SparkSession,
      queries: Seq[LogicalPlan],
      table: String,
      folder: Option[Path],
      schema: StructType): Workload = {
    val scans = queries.zipWithIndex.flatMap { case (query, i) =>
      // Nothing in a query is a command; should a rule make one of it, it must not run.
      val execution = session.sessionState.executePlan(query, CommandExecutionMode.SKIP)
      val ofTable = ofFiles(execution, folder) ++ ofSource(execution.optimizedPlan, table)
      if (ofTable.isEmpty) throw ZOrderErrors.queryWithoutTable(table, i + 1)
      ofTable.map(filters => ScanFilters(filters.flatMap(usable(_, schema)), 1.0 / ofTable.size))
    }
    Workload.of(scans, Nil)
  }

  /** The filters of each scan of files; one of pruned partitions names their folders. */
  private def ofFiles(execution: QueryExecution, folder: Option[Path]): Seq[Seq[Expression]] =
    QueryScans
      .of(execution.executedPlan)
      .collect {
        case scan: FileSourceScanExec if scan.relation.location.rootPaths.exists(TableFolders.isIn(_, folder)) =>
          scan.partitionFilters ++ scan.dataFilters
      }

  /** The filters above each scan of a table of another source, by its name. */
  private def ofSource(plan: LogicalPlan, table: String): Seq[Seq[Expression]] = {
    val own = plan match {
      case PhysicalOperation(_, filters, scan: DataSourceV2ScanRelation) =>
        if (name(scan.relation).contains(table)) Seq(filters) else Nil
      case other => other.children.flatMap(ofSource(_, table))
    }
    own ++ plan.subqueries.flatMap(ofSource(_, table))
  }

  private def name(relation: DataSourceV2Relation): Option[String] =
    for (catalog <- relation.catalog; identifier <- relation.identifier)
      yield (catalog.name +: identifier.namespace.toSeq :+ identifier.name).map(quoteIfNeeded).mkString(".")

  /** What needs no other query's result, in the table's own spelling. */
  private def usable(filter: Expression, schema: StructType): Option[Expression] =
    if (!filter.deterministic || filter.exists(_.isInstanceOf[PlanExpression[_]])) None
    else Some(filter.transform { case a: AttributeReference => spelled(a, schema) })

  private def spelled(a: AttributeReference, schema: StructType): AttributeReference =
    schema.fields.find(_.name == a.name).orElse(schema.fields.find(_.name.equalsIgnoreCase(a.name)))
      .fold(a)(f => a.withName(f.name))
}
