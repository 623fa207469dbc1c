// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.types.StructType

/** The workload that queries are, each of which is planned and does not run. */
private[advise] object QueryWorkload {

  /**
   * @param queries
   *   queries as parsed, each of which counts once, however often it reads the table
   * @return
   *   a note of queries of the table that read no file of it: of partitions that are not there, or by a condition that
   *   is never true
   * @throws ZOrderAnalysisException
   *   for a query of other tables, and where no query reads a file
   */
  def of(session: SparkSession, queries: Seq[LogicalPlan], table: AdvisedTable, schema: StructType): Workload = {
    val found = queries.zipWithIndex.map { case (query, i) =>
      // Nothing in a query is a command; should a rule make one of it, it must not run.
      val tables = new QueriedTables(session.sessionState.executePlan(query, CommandExecutionMode.SKIP))
      if (!tables.has(table)) throw ZOrderErrors.queryWithoutTable(table.name, i + 1)
      ScanFilters.ofQuery(tables.scans().filter(_.isOf(table)).map(_.filters.map(spelled(_, schema))))
    }
    val idle = found.indices.filter(found(_).isEmpty).map(_ + 1)
    if (idle.size == queries.size) throw ZOrderErrors.queryWithoutTable(table.name, 1)
    val note =
      if (idle.isEmpty) None
      else
        Some(s"${idle.size} of ${queries.size} queries read no file of the table in any layout " +
          s"(number ${idle.mkString(", ")}), and are left out")
    Workload.of(found.flatten, note.toSeq)
  }

  /** In the table's own spelling. */
  private def spelled(filter: Expression, schema: StructType): Expression =
    filter.transform { case a: AttributeReference =>
      ScanFilters.field(a.name, schema).fold(a)(f => a.withName(f.name))
    }
}
