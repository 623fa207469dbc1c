// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.{ParquetFileWriter, ParquetOutputFormat}

/** What parquet-java 1.17 of Spark 4.2 does with files. */
private[encoder] object ParquetJavaFiles {

  /** After a failure: what is closed then is left as it is. */
  def abort(file: ParquetFileWriter): Unit = file.abort()

  def close(file: ParquetFileWriter, hasFailed: Boolean): Unit = file.close()

  /** Whether a write asks that the bytes of a number go to streams of their own. */
  def splitsByteStreams(conf: Configuration): Boolean = ParquetOutputFormat.getByteStreamSplitEnabled(conf)
}
