// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.{ClusterableSnapshot, ClusterableTable, OwnRecords}
import io.sparkzorder.format.iceberg.listing.{PartitionColumns, TableBranch}
import io.sparkzorder.format.iceberg.rewrite.OpenWrites

import org.apache.iceberg.Table
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/**
 * A table of a catalog of Iceberg's, of which one branch is read and rewritten.
 *
 * @param name
 *   with its catalog, as statements take it: `lake.db.t`, or `lake.db.t.branch_audit`
 * @param branch
 *   None for the main branch
 * @param writes
 *   what the statement that rewrites it has written; None where it is only looked at
 */
private[iceberg] final class IcebergTable(
    table: Table,
    override val name: String,
    branch: Option[String] = None,
    writes: Option[OpenWrites] = None)
    extends ClusterableTable {

  private def partitions = new PartitionColumns(table.schema, table.spec)

  override def location: String = table.location

  override def schema: StructType = SparkSchemaUtil.convert(table.schema)

  override def partitionColumns: Seq[String] = partitions.identities

  override def predicateColumns: Seq[String] = partitions.sources

  override def properties: Option[Map[String, String]] = Some(table.properties.asScala.toMap)

  override def refusal(records: OwnRecords, asked: String): ZOrderAnalysisException =
    ZOrderErrors.icebergKeepsItself(asked, name)

  override def snapshot(session: SparkSession): ClusterableSnapshot = {
    TableBranch.refresh(name, table)
    new IcebergSnapshot(name, session, table, new TableBranch(name, table, branch), writes)
  }

  override def change[T](session: SparkSession, dryRun: Boolean)(body: ClusterableTable => T): T = {
    val open = new OpenWrites(table)
    try body(new IcebergTable(table, name, branch, Some(open)))
    catch {
      case e: LinkageError =>
        throw ZOrderErrors
          .otherIceberg(name, IcebergMissing.running.getOrElse("?"), IcebergMissing.artifact)
          .initCause(e)
    } finally open.close()
  }
}
