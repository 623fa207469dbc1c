package io.sparkzorder.format.delta

import io.sparkzorder.format.ClusterableTable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.zorder.SparkInternals

/** The way from Spark's catalog, or from a folder, to a Delta table. */
object DeltaFormat {

  /** The Delta table behind a resolved name; None if it is of another format. */
  def of(table: ResolvedTable): Option[ClusterableTable] =
    DeltaTableV2.maybeExtractFrom(table).map(delta => new DeltaTable(delta, table.identifier))

  /** The Delta table in a folder; None if there is none. */
  def atPath(session: SparkSession, path: Path): Option[LogicalPlan] = {
    val table = DeltaTableV2(session, path)
    // A folder inside a table is not the table: Delta finds the one above it, of which only a partition was named.
    if (table.deltaLog.update().version < 0 || table.hasPartitionFilters) None
    else {
      val catalog = SparkInternals.sessionCatalog(session)
      Some(ResolvedTable.create(catalog, Identifier.of(Array("delta"), path.toString), table))
    }
  }
}
