// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.{ListedStatistics, ReaderScan}
import io.sparkzorder.skipping.scan.{LogStatisticsFileIndex, ScanFileIndex}

import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileIndex, InMemoryFileIndex}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * The file indexes by which scans are pruned when they run.
 *
 * @param statistics
 *   the statistics of the files that a file index lists, of formats that keep them in a log of their own
 * @param byReader
 *   a scan by a format's own reader as one that leaves out files when it runs
 * @param bytesOfVersion
 *   bytes of the files of such a scan, if it has the same rows whenever it runs
 */
final class ScanIndexes(
    statistics: FileIndex => Option[ListedStatistics],
    byReader: BatchScanExec => Option[ReaderScan],
    private[dynamic] val bytesOfVersion: Scan => Option[BigInt]) {

  /** None where the format of the scan cannot leave out files. */
  private[dynamic] def of(scan: BatchScanExec): Option[ReaderScan] = byReader(scan)

  /** Whether files are those of a version of a table, whenever they are listed. */
  private[dynamic] def isOfVersion(files: FileIndex): Boolean = statistics(files).isDefined

  /**
   * Whether files are the same whenever they are listed, but for a listing that somebody renews. Delta's own index of the
   * newest version is not, which writes to other formats' tables leave in their queries.
   */
  private[dynamic] def areListedOnce(files: FileIndex): Boolean =
    isOfVersion(files) || files.getClass == classOf[InMemoryFileIndex]

  /** None for a scan of files without statistics, and for streams. */
  private[dynamic] def of(scan: FileSourceScanExec): Option[ScanFileIndex] = scan.relation.location match {
    case _ if scan.stream.nonEmpty => None
    case index: ScanFileIndex => Some(index).filter(_.skips)
    case other => statistics(other).map(new LogStatisticsFileIndex(other, _))
  }
}
