// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.format.TableFormat

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.{DeltaParquetFileFormatBase, Snapshot}
import org.apache.spark.sql.delta.files.{TahoeFileIndex, TahoeLogFileIndex}
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileIndex

/** What only Delta knows of a scan of one of its tables. */
private[delta] object DeltaScan {

  /** @param format the name of Delta's format */
  def of(scan: FileSourceScanExec, format: String): Option[TableFormat.Scan] = scan.relation.fileFormat match {
    case _: DeltaParquetFileFormatBase =>
      Some(new TableFormat.Scan(
        format,
        pushesFilters(scan),
        allFiles(scan.relation.sparkSession, scan.relation.location)))
    case _ => None
  }

  /**
   * Whether Delta hands the scan's filters on to the readers of the files. With deletion vectors and
   * `deletionVectors.useMetadataRowIndex = false` it neither does nor lets files be split, and only of the latter it
   * tells.
   */
  private def pushesFilters(scan: FileSourceScanExec): Boolean = {
    val relation = scan.relation
    relation.location.rootPaths.headOption.forall { root =>
      relation.fileFormat.isSplitable(relation.sparkSession, relation.options, root)
    }
  }

  /** All files of the version that the scan reads; None where it does not read a version but a set of changes. */
  private def allFiles(session: SparkSession, index: FileIndex): Option[Seq[FileStatus]] = index match {
    case prepared: PreparedDeltaFileIndex =>
      // What was prepared for the query is the snapshot, or reads it from the open transaction.
      Some(files(session, prepared, prepared.preparedScan.scannedSnapshot))
    case log: TahoeLogFileIndex => Some(files(session, log, log.getSnapshot))
    case _ => None
  }

  private def files(session: SparkSession, index: TahoeFileIndex, snapshot: Snapshot): Seq[FileStatus] =
    snapshot.allFiles.collect().toSeq.map(index.fileStatusWithMetadataFromAddFile(_).fileStatus)
}
