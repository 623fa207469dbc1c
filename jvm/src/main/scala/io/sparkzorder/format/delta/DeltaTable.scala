package io.sparkzorder.format.delta

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, TableSnapshot}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.sources.DeltaDataSource
import org.apache.spark.sql.types.StructType

/** A Delta table by name or path. */
private[delta] class DeltaTable(table: DeltaTableV2, identifier: Identifier) extends ClusterableTable {

  override def name: String = (identifier.namespace :+ identifier.name).map(quoteIfNeeded).mkString(".")

  override def schema: StructType = table.schema()

  override def partitionColumns: Seq[String] = table.initialSnapshot.metadata.partitionColumns

  override def snapshot(session: SparkSession): TableSnapshot = {
    if (table.timeTravelOpt.nonEmpty || isOldVersionByPath) throw ZOrderErrors.timeTravel(name)
    new DeltaSnapshot(name, session, table.update(), table.catalogTable)
  }

  /** Whether the path ends in a version, as `/t@v3`. Delta keeps that to itself, and would update the latest version. */
  private def isOldVersionByPath: Boolean = table.catalogTable.isEmpty &&
    DeltaDataSource.parsePathIdentifier(table.spark, table.path.toString, table.options)._3.nonEmpty
}
