// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.{ClusterableSnapshot, ClusterableTable, OwnRecords}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.sources.{DeltaDataSource, DeltaSQLConf}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * A Delta table by name or path.
 *
 * @param catalog
 *   name of the catalog that found it, if known
 */
private[delta] class DeltaTable(table: DeltaTableV2, identifier: Identifier, catalog: Option[String] = None)
    extends ClusterableTable {

  override def name: String = (identifier.namespace :+ identifier.name).map(quoteIfNeeded).mkString(".")

  override def nameInSql: String = if (table.catalogTable.isDefined) nameInCatalog else name

  private def nameInCatalog = (catalog.map(quoteIfNeeded).toSeq :+ name).mkString(".")

  override def location: String = table.path.toString

  override def schema: StructType = table.schema()

  override def partitionColumns: Seq[String] = table.initialSnapshot.metadata.partitionColumns

  override def properties: Option[Map[String, String]] = Some(table.initialSnapshot.metadata.configuration)

  override def hasOwnCompaction: Boolean = true

  override def refusal(records: OwnRecords, asked: String): ZOrderAnalysisException = records match {
    case OwnRecords.Statistics => ZOrderErrors.ownStatistics(nameInCatalog, asked)
    case OwnRecords.Rewrites => ZOrderErrors.notRestorable(nameInCatalog, asked)
    case OwnRecords.ReplacedFiles => ZOrderErrors.keepsByItself(name)
    case OwnRecords.Log => ZOrderErrors.notRepairable(nameInCatalog, asked)
    case OwnRecords.Compaction => ZOrderErrors.ownCompaction(name)
  }

  /** An old version, where one is named, can be looked at; the snapshot refuses to be rewritten. */
  override def snapshot(session: SparkSession): ClusterableSnapshot = {
    val isOld = table.timeTravelOpt.nonEmpty || isOldVersionByPath
    new DeltaSnapshot(name, session, if (isOld) table.initialSnapshot else table.update(), table.catalogTable, isOld)
  }

  override def change[T](session: SparkSession, dryRun: Boolean)(body: ClusterableTable => T): T = {
    configure(session)
    body(this)
  }

  private def configure(rewriteSession: SparkSession): Unit = {
    // To Delta names that differ by case alone are one; a reader to which they are two would find NULL in a file that
    // spells a column otherwise.
    rewriteSession.conf.set(SQLConf.CASE_SENSITIVE.key, "false")
    // As tables of Parquet's version 2 get it. The session of a rewrite never cuts timestamps.
    val timestamps = rewriteSession.sessionState.conf.getConf(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE)
    rewriteSession.conf.set(DeltaSQLConf.TABLE_PARQUET_V2_DEFAULT_TIMESTAMP_ENCODING.key, timestamps.toString)
    // Spark's writer makes NULL of an empty string in a partition column anyway. Where there are constraints, Delta does so
    // in a projection after which it no longer sees that the rows are sorted, and sorts them again.
    rewriteSession.conf.set(DeltaSQLConf.CONVERT_EMPTY_TO_NULL_FOR_STRING_PARTITION_COL.key, "false")
    // Delta lists the files of any table in 50 tasks. For a small log those take seconds, and the work none.
    val key = DeltaSQLConf.DELTA_SNAPSHOT_PARTITIONS.key
    if (!rewriteSession.sessionState.conf.contains(key)) {
      val snapshot = table.initialSnapshot
      val bytes =
        snapshot.logSegment.deltas.map(_.getLen).sum + snapshot.checkpointProvider.effectiveCheckpointSizeInBytes()
      rewriteSession.conf.set(key, math.min(1 + bytes / DeltaTable.LogBytesPerTask, DeltaTable.MaxListingTasks))
    }
  }

  /**
   * Whether the path ends in a version, as `/t@v3`. Delta keeps that to itself, and would update the latest version.
   */
  private def isOldVersionByPath: Boolean = table.catalogTable.isEmpty &&
    DeltaDataSource.parsePathIdentifier(table.spark, table.path.toString, table.options)._3.nonEmpty
}

private[delta] object DeltaTable {
  private val LogBytesPerTask = 2L << 20

  // Delta's own number.
  private val MaxListingTasks = 50L
}
