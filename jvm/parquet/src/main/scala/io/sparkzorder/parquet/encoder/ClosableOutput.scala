// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import scala.util.control.NonFatal

import org.apache.parquet.io.{OutputFile, PositionOutputStream}
import org.apache.spark.internal.Logging

/**
 * A file to write whose stream can be closed after a failure: parquet-java's `ParquetFileWriter` then leaves it open. An
 * open file keeps its blocks on a full disk though it is deleted, and its lease on HDFS.
 */
private[encoder] final class ClosableOutput(file: OutputFile) extends OutputFile with Logging {

  private var stream = Option.empty[PositionOutputStream]

  override def create(blockSize: Long): PositionOutputStream = opened(file.create(blockSize))

  override def createOrOverwrite(blockSize: Long): PositionOutputStream = opened(file.createOrOverwrite(blockSize))

  override def supportsBlockSize: Boolean = file.supportsBlockSize

  override def defaultBlockSize: Long = file.defaultBlockSize

  override def getPath: String = file.getPath

  private def opened(of: PositionOutputStream): PositionOutputStream = {
    stream = Some(of)
    of
  }

  /** To be called after a failure; what goes wrong here would hide it. */
  def abandon(): Unit =
    try stream.foreach(_.close())
    catch { case NonFatal(e) => logDebug(s"$getPath: could not be closed after a failure", e) }
}
