// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetFileWriter

/** What parquet-java 1.15 and 1.16 of Spark 4.0 and 4.1 do with files. */
private[encoder] object ParquetJavaFiles {

  def abort(file: ParquetFileWriter): Unit = ()

  /** Nobody can report to it that a write has failed, and closing would flush what the stream has refused before. */
  def close(file: ParquetFileWriter, hasFailed: Boolean): Unit = if (!hasFailed) file.close()

  /** These writers have no setting for it. */
  def splitsByteStreams(conf: Configuration): Boolean = false
}
