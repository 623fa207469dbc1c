// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.skipping.predicate.{ListedStatistics, ReaderScan}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileIndex
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** What only a format of tables knows of a scan of one of its tables. */
trait ScanFormat {

  /** A scan of Parquet files of a table of this format; None if it is none. */
  def scan(scan: FileSourceScanExec): Option[TableFormat.Scan]

  /** How much a scan by the format's own reader reads, as the table's metadata tell; None where they do not. */
  def readVolume(scan: BatchScanExec): Option[TableFormat.ReadVolume] = None

  /** A scan by the format's own reader as one that leaves out files when it runs; None where the format cannot. */
  def prunable(scan: BatchScanExec): Option[ReaderScan] = None

  /** Bytes of the files of a scan by the format's own reader, if it has the same rows whenever it runs. */
  def bytesOfVersion(scan: Scan): Option[BigInt] = None

  /** The statistics of the files that a scan's file index lists, where the format keeps them in a log of its own. */
  def statistics(session: SparkSession, location: FileIndex): Option[ListedStatistics] = None
}
