// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.foreign

import io.sparkzorder.format.{ClusterableTable, TableFormat}
import io.sparkzorder.plan.UnresolvedPathTable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.FileSourceScanExec

/**
 * Tables of other projects' formats, such as Iceberg and Hudi, whose rows come out of Parquet files: for statements that
 * only look at a table.
 */
object ForeignFormat extends TableFormat {

  override def name: String = "foreign"

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] =
    Some(new ForeignTable(table, statement))

  // By its folder alone nobody knows which of the files there are the table's.
  override def atPath(session: SparkSession, named: UnresolvedPathTable, name: String): Option[LogicalPlan] = None

  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = None
}
