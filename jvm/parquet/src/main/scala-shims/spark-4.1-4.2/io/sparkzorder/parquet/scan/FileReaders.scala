// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.execution.datasources.DataSourceUtils

/** Readers of Parquet files as Spark 4.1 and 4.2 has them. */
private[scan] object FileReaders {

  /** A reader of a file whose footer is known, which drops row groups as the options say. */
  def of(input: HadoopInputFile, footer: ParquetMetadata, options: ParquetReadOptions): ParquetFileReader =
    new ParquetFileReader(input, footer, options, input.newStream())

  /** Whether a scan that passes over corrupt files takes this for the sign of one. */
  def isOfCorruptFile(error: Throwable): Boolean = DataSourceUtils.shouldIgnoreCorruptFileException(error)
}
