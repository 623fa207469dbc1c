// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.mapreduce.Job
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriterFactory}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetWriteSupport}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A Parquet format for writes alone, whose files the encoder writes. It is no `ParquetFileFormat`: those are all equal to each
 * other, so that rules of Spark would drop the change from one to another.
 *
 * @param of
 *   Spark's own format, Delta's, or one that writes more metadata
 */
final class EncodedFormat(of: FileFormat) extends FileFormat {

  override def inferSchema(
      session: SparkSession,
      options: Map[String, String],
      files: Seq[FileStatus]): Option[StructType] = of.inferSchema(session, options, files)

  override def prepareWrite(
      session: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType): OutputWriterFactory = {
    val delegate = of.prepareWrite(session, job, options, dataSchema)
    val shreds = new ParquetOptions(options, session.sessionState.conf).inferShreddingForVariant ||
      job.getConfiguration.get(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA) != null
    new EncodedWriterFactory(delegate, shreds)
  }

  override def supportDataType(dataType: DataType): Boolean = of.supportDataType(dataType)

  override def allowDuplicatedColumnNames: Boolean = of.allowDuplicatedColumnNames

  override def supportFieldName(name: String): Boolean = of.supportFieldName(name)

  override def toString: String = of.toString
}
