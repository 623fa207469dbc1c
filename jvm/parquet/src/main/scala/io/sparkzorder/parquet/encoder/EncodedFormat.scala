// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import io.sparkzorder.columnar.ReservedMemory

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.{Job, TaskAttemptContext}
import org.apache.parquet.hadoop.codec.CodecConfig
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.variant.VariantExpressionEvalUtils
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetWriteSupport}
import org.apache.spark.sql.types.{DataType, StructType}

/** A format that writes as another does, but for what writes the files. */
abstract class DelegatingFormat(of: FileFormat) extends FileFormat {

  override def inferSchema(
      session: SparkSession,
      options: Map[String, String],
      files: Seq[FileStatus]): Option[StructType] = of.inferSchema(session, options, files)

  override def supportDataType(dataType: DataType): Boolean = of.supportDataType(dataType)

  override def allowDuplicatedColumnNames: Boolean = of.allowDuplicatedColumnNames

  override def supportFieldName(name: String): Boolean = of.supportFieldName(name)

  override def toString: String = of.toString
}

/**
 * A Parquet format for writes alone, whose files the encoder writes. It is no `ParquetFileFormat`: those are all equal to each
 * other, so that rules of Spark would drop the change from one to another.
 *
 * @param of
 *   the format whose writer is replaced
 */
final class EncodedFormat(of: FileFormat) extends DelegatingFormat(of) {

  override def prepareWrite(
      session: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType): OutputWriterFactory = {
    val delegate = of.prepareWrite(session, job, options, dataSchema)
    val shreds = VariantShredding.isInferred(new ParquetOptions(options, session.sessionState.conf)) ||
      job.getConfiguration.get(ParquetWriteSupport.SPARK_VARIANT_SHREDDING_SCHEMA) != null
    new EncodedWriterFactory(delegate, shreds)
  }
}

/**
 * Makes the encoder's writers in place of Spark's, wherever they write the same files.
 *
 * @param delegate
 *   what Spark's `ParquetFileFormat.prepareWrite` returned; it writes what the encoder does not
 * @param shreds
 *   whether Spark may give parts of variants columns of their own
 */
final class EncodedWriterFactory(delegate: OutputWriterFactory, shreds: Boolean)
    extends OutputWriterFactory
    with Logging {

  override def getFileExtension(context: TaskAttemptContext): String = delegate.getFileExtension(context)

  override def newInstance(path: String, dataSchema: StructType, context: TaskAttemptContext): OutputWriter =
    conflict(dataSchema, context) match {
      case None => new EncodedOutputWriter(path, dataSchema, context)
      case Some(reason) =>
        logDebug(s"$path: by Spark's writer, since $reason")
        delegate.newInstance(path, dataSchema, context)
    }

  private def conflict(schema: StructType, context: TaskAttemptContext): Option[String] =
    if (shreds && VariantExpressionEvalUtils.typeContainsVariant(schema)) Some("its variants may be shredded")
    else EncoderSettings.conflict(ContextUtil.getConfiguration(context))
}

private final class EncodedOutputWriter(override val path: String, schema: StructType, context: TaskAttemptContext)
    extends OutputWriter {

  private val rows = new RowsOfFile(
    EncodedFile.ofSpark(
      new Path(path),
      ContextUtil.getConfiguration(context),
      CodecConfig.from(context).getCodec,
      ReservedMemory.ofTask()),
    schema)

  override def write(row: InternalRow): Unit = rows.write(row)

  override def close(): Unit = rows.close()
}
