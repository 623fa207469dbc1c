// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.conf.HadoopParquetConfiguration
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * What a file holds.
 *
 * @param message
 *   the columns of the file
 * @param fields
 *   those of the rows, one for each column of the file, in its order
 * @param metadata
 *   what the footer says besides
 * @param isOfOneCalendar
 *   whether dates and timestamps are written as they are; those of other calendars are computed by Spark's writer
 */
private[sparkzorder] final case class FileContent(
    message: MessageType,
    fields: StructType,
    metadata: Map[String, String],
    isOfOneCalendar: Boolean)

private[sparkzorder] object FileContent {

  /**
   * As Spark's writer has it.
   *
   * @param conf
   *   the settings that Spark's `ParquetFileFormat.prepareWrite` gives to a task
   */
  private[encoder] def ofSpark(conf: Configuration): FileContent = {
    val context = new ParquetOutputFormat[InternalRow].getWriteSupport(conf).init(new HadoopParquetConfiguration(conf))
    FileContent(
      context.getSchema,
      DataType.fromJson(conf.get(ParquetWriteSupport.SPARK_ROW_SCHEMA)).asInstanceOf[StructType],
      context.getExtraMetaData.asScala.toMap,
      // In Spark 4.0 the setting is a text.
      SQLConf.get.getConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE).toString == LegacyBehaviorPolicy.CORRECTED.toString
    )
  }
}
