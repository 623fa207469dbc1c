// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile

/** Opens single files by parquet-java, for what Spark's reader of rows does not tell. */
private[sparkzorder] object ParquetReaders {

  /** The reader of a file, which the caller closes. */
  def open(location: String, hadoop: Configuration): ParquetFileReader = {
    val path = new Path(location)
    val options = HadoopReadOptions.builder(hadoop, path).build()
    ParquetFileReader.open(HadoopInputFile.fromPath(path, hadoop), options)
  }
}
