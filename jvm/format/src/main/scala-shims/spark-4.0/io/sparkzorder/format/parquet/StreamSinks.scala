// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import org.apache.spark.sql.execution.streaming.FileStreamSink

/** Where streams write to, as Spark 4.0 has it. */
private[parquet] object StreamSinks {

  def isOfFiles(sink: Any): Boolean = sink.isInstanceOf[FileStreamSink]
}
