// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.command.explain.QueryScans
import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{CommandExecutionMode, FileSourceScanExec}
import org.apache.spark.sql.types.StructType

/** The workload that queries are, each of which is planned and does not run. */
private[advise] object QueryWorkload {

  /**
   * @param queries
   *   queries as parsed, each of which counts once
   * @param table
   *   name of the table, for messages
   * @param folder
   *   the table's folder
   * @throws ZOrderAnalysisException
   *   for a query that does not read the table
   */
  def of(
      session: SparkSession,
      queries: Seq[LogicalPlan],
      table: String,
      folder: Path,
      schema: StructType): Workload = {
    val scans = queries.zipWithIndex.flatMap { case (query, i) =>
      // Nothing in a query is a command; should a rule make one of it, it must not run.
      val execution = session.sessionState.executePlan(query, CommandExecutionMode.SKIP)
      val ofTable = QueryScans.of(execution.executedPlan).filter(scan => readsFolder(scan, folder))
      if (ofTable.isEmpty) throw ZOrderErrors.queryWithoutTable(table, i + 1)
      ofTable.map(scan => ScanFilters((scan.partitionFilters ++ scan.dataFilters).flatMap(usable(_, schema)), 1.0))
    }
    Workload.of(scans, Nil)
  }

  /** A scan of pruned partitions names their folders. */
  private def readsFolder(scan: FileSourceScanExec, folder: Path): Boolean =
    scan.relation.location.rootPaths.exists(TableFolders.isIn(_, folder))

  /** What needs no other query's result, in the table's own spelling. */
  private def usable(filter: Expression, schema: StructType): Option[Expression] =
    if (!filter.deterministic || filter.exists(_.isInstanceOf[PlanExpression[_]])) None
    else
      Some(filter.transform { case a: AttributeReference =>
        spelled(a, schema)
      })

  private def spelled(a: AttributeReference, schema: StructType): Attribute =
    schema.fields.find(_.name == a.name).orElse(schema.fields.find(_.name.equalsIgnoreCase(a.name)))
      .fold[Attribute](a)(f => a.withName(f.name))
}
