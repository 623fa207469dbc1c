// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import io.sparkzorder.config.{Compression, ZOrderConf}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.{FolderGroups, TableDefinition, TableListing}
import io.sparkzorder.parquet.encoder.EncodedFormat

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.zorder.SparkInternals

/** Writes the files of a rewrite into a folder of their own, by the encoder or Spark's writer. */
private[parquet] class StagedFiles(session: SparkSession, table: TableDefinition, target: Path, kept: KeptMetadata) {

  /**
   * @param rows
   *   rows, sorted by the partition columns in each task
   * @param partitions
   *   values of the partition columns that rows can have
   */
  def write(rows: DataFrame, partitions: Seq[InternalRow]): IndexedSeq[TableListing.File] = {
    SparkInternals.execute(rows, "OPTIMIZE") { plan =>
      val committer =
        FileCommitProtocol.instantiate(
          session.sessionState.conf.fileCommitProtocolClass,
          // In the names of files: whoever has to mend a table by hand sees by them what a rewrite has written.
          target.getName,
          target.toString
        )
      // By the number of the folder, too, which the name of the staged folder then has.
      val partitionColumns = FolderGroups.schema(table.partitionSchema).fieldNames.toSeq
      SparkFileWriter.write(
        session,
        plan,
        format,
        committer,
        target.toString,
        partitionColumns.map(c => plan.output.find(_.name == c).get),
        writerOptions)
    }
    val byNumber = partitions.map(p => number(p) -> p).toMap
    require(byNumber.size == partitions.size, "Two partitions have one number")
    dataFiles(target).map { status =>
      val path = table.folder.relative(status.getPath).get
      val parent = status.getPath.getParent.getName
      val written = if (table.partitionSchema.isEmpty) 0 else parent.stripPrefix(s"${FolderGroups.Column}=").toInt
      val partition = byNumber.getOrElse(written, throw ZOrderErrors.unplannedPartition(path))
      TableListing.File(ListedFile(path, status.getLen, status.getModificationTime), partition, status)
    }
  }

  /** What the statement or the session says of compression goes before the table's own options. */
  private def writerOptions: Map[String, String] =
    if (ZOrderConf.optimizeCompression(session.sessionState.conf).isEmpty) table.rewriteOptions
    else Compression.without(table.rewriteOptions)

  private def format: FileFormat =
    if (ZOrderConf.optimizesByEncoder(session.sessionState.conf)) new EncodedFormat(kept.format) else kept.format

  private def number(partition: InternalRow): Int =
    if (table.partitionSchema.isEmpty) 0 else partition.getInt(table.partitionSchema.size)

  private def dataFiles(below: Path): IndexedSeq[FileStatus] =
    table.folder.list(below).toIndexedSeq.sortBy(_.getPath.getName).flatMap { s =>
      if (TableFolder.isHidden(s.getPath.getName)) Nil else if (s.isDirectory) dataFiles(s.getPath) else Seq(s)
    }
}
