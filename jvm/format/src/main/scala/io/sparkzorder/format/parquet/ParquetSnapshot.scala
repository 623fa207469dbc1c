// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{
  BatchedRun,
  ClusterableSnapshot,
  DataFile,
  DoubledRows,
  ListedFile,
  Rewrite,
  StatisticsRemedy
}
import io.sparkzorder.format.parquet.index.{SnapshotFileFilter, StatisticsIndexes, TableStatistics}
import io.sparkzorder.format.parquet.listing.{ParquetFile, ParquetRows, TableDefinition}
import io.sparkzorder.format.parquet.rewrite.{ParquetRewrite, PlainParquetCheck, RewriteLease, RunRecord}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.types.StructType

/**
 * A Parquet table as its folder shows it when its files are listed.
 *
 * @param session
 *   session in which the table is read and rewritten
 * @param hold
 *   the statement's hold on the table; None where it only reads
 */
private[parquet] class ParquetSnapshot(table: TableDefinition, session: SparkSession, hold: Option[RewriteLease])
    extends ClusterableSnapshot
    with PredicateHelper {

  private val listing = table.listing(session)

  // Read before any file is listed: no rewrite that writes an entry from here on escapes ours.
  private val since = table.rewriteLog.read()

  override def path: String = table.folder.root.toString

  // A folder has no identity beyond its path; before a commit each file is compared with what was read.
  override def id: String = path

  override def schema: StructType = table.schema

  override def partitionSchema: StructType = table.groupSchema

  override def targetFileBytes: Option[Long] = None

  override def batchBytes: Option[Long] = None

  override def needsEmptyFiles: Boolean = true

  override def openRun(statement: String): Option[BatchedRun] = new RunRecord(table.folder).open(statement)

  override def storedNames(column: ColumnPath): Seq[String] = column.parts

  override def columnsWithStatistics: Seq[ColumnPath] = table.indexable.map(w => ColumnPath(w.path))

  // The footers have been asked already, where the statistics index has nothing of the column.
  override def statisticsRemedy(column: ColumnPath): StatisticsRemedy =
    if (columnsWithStatistics.contains(column))
      StatisticsRemedy(
        "OPTIMIZE writes them",
        s"the files were written without them; OPTIMIZE ${table.name} ZORDER BY ($column) writes them"
      )
    else {
      val dataType = column.dataType(schema)
      StatisticsRemedy("none for this type in Parquet", s"Parquet keeps no bounds of type ${dataType.sql}")
    }

  override def requireOptimizable(columns: Seq[ColumnPath]): Unit = {
    // A statement that has the lock has just looked, and looks once more before it replaces files.
    if (hold.isEmpty) new PlainParquetCheck(table).check()
    table.rewriteLog.requireWritable()
    hold.foreach(_.requireConditionalWrites())
  }

  override def files(predicate: Option[Expression]): IndexedSeq[DataFile] = {
    val (onPartitions, onData) = predicate.toSeq.flatMap(splitConjunctivePredicates).partition(isOnPartitions)
    val listed = listing.files(onPartitions, Some(since)).sortBy(_.id.path)
    val index = StatisticsIndexes.readable(session, table.folder)
    val files = new TableStatistics(session, table.indexable, index, listed, table.folder.state).files
    if (onData.isEmpty) files else new SnapshotFileFilter(files, table.dataSchema).matching(onData)
  }

  override def doubledRows: Option[DoubledRows] = listing.doubledRows

  override def read(files: IndexedSeq[DataFile]): DataFrame =
    ParquetRows.read(session, table, files.map(_.asInstanceOf[ParquetFile].listed), table.dataSchema)

  override def rewrite(
      files: IndexedSeq[DataFile],
      predicate: Option[Expression],
      columns: Seq[ColumnPath]): Rewrite = {
    requireNoBuckets(files)
    new PlainParquetCheck(table).requireNoTableBelow(files.map(_.path))
    hold.foreach(_ => table.folder.requireReplaceable(table.name, files.map(_.path)))
    // Once more before the entry is written; by then all files are, which may take hours.
    table.folder.requireTrusted(files.map(_.path), Nil)
    // Read now: the report compares them with those of the new files when the old files are gone.
    for (file <- files; column <- columns) file.statistics(column)
    new ParquetRewrite(session, table, hold, files.map(_.asInstanceOf[ParquetFile]), since)
  }

  /** A catalog's table says by itself whether it has buckets; of a folder the names of files that Spark wrote do. */
  private def requireNoBuckets(files: IndexedSeq[DataFile]): Unit =
    if (table.catalogTable.isEmpty && files.exists(f => ParquetSnapshot.OfBucket.matches(ListedFile.nameOf(f.path))))
      throw ZOrderErrors.bucketedTable(table.name, "OPTIMIZE")
}

private object ParquetSnapshot {

  /** `part-00000-<uuid>_00001.c000.snappy.parquet`, of bucket 1. */
  private val OfBucket = raw"part-\d{5,}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_\d{5}\.c\d{3}\..*".r
}
