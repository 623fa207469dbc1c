// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import io.sparkzorder.errors.{UnreadableFile, ZOrderErrors}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.execution.datasources.DataSourceUtils

/**
 * What the scans of a table tell the readers of its files.
 *
 * @param reader
 *   measures one file
 * @param options
 *   options of the table and of the session: whether the scan passes over missing or corrupt files
 */
final class ParquetScan private[sparkzorder] (reader: FileVolume, options: FileSourceOptions) extends Serializable {

  /**
   * How much of the files the scan reads, from their footers and page indexes, in one Spark job.
   *
   * @param files
   *   absolute paths, each with whether the scan opens the file at all
   * @throws ZOrderRuntimeException
   *   if a file is missing or no Parquet, unless the scan passes over such files
   */
  def volume(session: SparkSession, files: IndexedSeq[(String, Boolean)]): ScanVolume =
    if (files.isEmpty) ScanVolume.none
    else {
      val tasks = (files.size + ParquetScan.FilesPerTask - 1) / ParquetScan.FilesPerTask
      UnreadableFile.named {
        session.sparkContext
          .parallelize(files, tasks)
          .mapPartitions(part => Iterator(part.map { case (file, isRead) => of(file, isRead) }.reduce(_ + _)))
          .fold(ScanVolume.none)(_ + _)
      }
    }

  private def of(file: String, isRead: Boolean): ScanVolume =
    try reader.of(file, isRead)
    catch {
      case _: FileNotFoundException if options.ignoreMissingFiles => ScanVolume.none
      case e if isCorrupt(e) && options.ignoreCorruptFiles => ScanVolume.none
      case NonFatal(e) => throw ZOrderErrors.unreadableFile(file, UnreadableFile.reason(e), e)
    }

  private def isCorrupt(error: Throwable): Boolean =
    !error.isInstanceOf[FileNotFoundException] && DataSourceUtils.shouldIgnoreCorruptFileException(error)
}

private object ParquetScan {
  private val FilesPerTask = 16
}
