// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.nio.charset.StandardCharsets
import java.util.Base64

import scala.jdk.CollectionConverters._

import io.sparkzorder.parquet.footer.FieldIds

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.Job
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.OutputWriterFactory
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * Spark's Parquet format, whose writers put down field ids and key-value metadata besides what they put down anyway.
 *
 * @param ids
 *   the columns with their field ids; queries lose them where files are not read by ids
 */
private[parquet] class ParquetFormatWithMetadata(ids: StructType, notes: Map[String, String])
    extends ParquetFileFormat {

  override def prepareWrite(
      session: SparkSession,
      job: Job,
      options: Map[String, String],
      dataSchema: StructType): OutputWriterFactory = {
    // Not to write them would be to lose them.
    if (FieldIds.isIn(ids))
      ContextUtil.getConfiguration(job).setBoolean(SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key, true)
    val factory = super.prepareWrite(session, job, options, FieldIds.like(dataSchema, ids))
    ParquetOutputFormat.setWriteSupportClass(job, classOf[NotingWriteSupport])
    NotingWriteSupport.set(ContextUtil.getConfiguration(job), notes)
    factory
  }
}

/** Spark's writer of rows, with more metadata. Parquet makes it by its name. */
private[parquet] class NotingWriteSupport extends ParquetWriteSupport {

  override def init(configuration: Configuration): WriteContext = {
    val context = super.init(configuration)
    val all = NotingWriteSupport.get(configuration) ++ context.getExtraMetaData.asScala
    new WriteContext(context.getSchema, all.asJava)
  }
}

private[parquet] object NotingWriteSupport {

  private val Key = "spark.sql.zorder.parquet.keptMetadata"

  private val mapper = new ObjectMapper

  /** A configuration would replace `${names}` in a text. */
  def set(conf: Configuration, notes: Map[String, String]): Unit = {
    val json = mapper.writeValueAsString(notes.asJava)
    conf.set(Key, Base64.getEncoder.encodeToString(json.getBytes(StandardCharsets.UTF_8)))
  }

  def get(conf: Configuration): Map[String, String] =
    Option(conf.getRaw(Key)).fold(Map.empty[String, String]) { text =>
      val json = new String(Base64.getDecoder.decode(text), StandardCharsets.UTF_8)
      mapper.readValue(json, classOf[java.util.Map[String, String]]).asScala.toMap
    }
}
