// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.nio.charset.StandardCharsets
import java.util.Base64

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.listing.ParquetFile
import io.sparkzorder.parquet.footer.{FieldIds, FileSchema, ParquetReaders, PhysicalForm}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.Job
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.OutputWriterFactory
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetFileFormat,
  ParquetWriteSupport,
  SparkToParquetSchemaConverter
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * The metadata that a rewrite carries from old files to new ones.
 *
 * @param ids
 *   the columns with their field ids
 * @param keyValues
 *   key-value metadata to write
 */
private[parquet] final case class KeptMetadata(ids: StructType, keyValues: Map[String, String]) {

  /** Spark's writer, made to write them. */
  def format: ParquetFileFormat =
    if (keyValues.isEmpty && !FieldIds.isIn(ids)) new ParquetFileFormat
    else new ParquetFormatWithMetadata(ids, keyValues)
}

private[parquet] object KeptMetadata extends Logging {

  private val Geo = "geo"

  /** Iceberg's own writers, in Java, put it into every file of a table. */
  val OfIceberg = "iceberg.schema"

  // They describe each column in the order and form that it has in the file, and are believed.
  private val Descriptions = Seq(
    "ARROW:schema",
    "avro.schema",
    "parquet.avro.schema",
    "parquet.proto.class",
    "parquet.proto.descriptor",
    "thrift.class",
    "thrift.descriptor"
  )

  // It names the program that wrote a file, which is Spark from now on.
  private val Writer = "writer.model.name"

  /**
   * @param schema
   *   schema of the new files
   * @param files
   *   the files to replace
   * @param settings
   *   of Hadoop, by which they are read
   * @throws ZOrderAnalysisException
   *   where GeoParquet's metadata would be lost, without which readers do not find the geometries
   */
  def of(
      session: SparkSession,
      table: String,
      schema: StructType,
      files: Seq[(FileSchema, ParquetFile)],
      settings: Map[String, String]): KeptMetadata = {
    val all = files.map(_._1.keyValues - Writer)
    val (same, others) = all.flatMap(_.keySet).distinct.partition(key => all.map(_.get(key)).distinct.size == 1)
    if (others.contains(Geo)) {
      val (first, file) = files.head
      val (_, other) = files.find(_._1.keyValues.get(Geo) != first.keyValues.get(Geo)).get
      throw ZOrderErrors.geoMetadataDiffers(table, file.path, other.path)
    }
    val form = PhysicalForm(new SparkToParquetSchemaConverter(session.sessionState.conf).convert(schema))
    val isSameForm = files.forall(_._1.form == form)
    val (kept, untrue) = same.partition(key => isSameForm || !Descriptions.contains(key))
    val lost = others ++ untrue
    if (lost.nonEmpty)
      logWarning(
        s"Files that OPTIMIZE writes for ${table} are without metadata of old files that does not hold for them: " +
          s"${lost.sorted.mkString(", ")}. It differs from file to file, or describes columns in a form they no longer have.")
    val values = if (kept.isEmpty) Map.empty[String, String] else keyValues(session, files.head._2, settings)
    KeptMetadata(schema, values.filter(v => kept.contains(v._1)))
  }

  private def keyValues(
      session: SparkSession,
      file: ParquetFile,
      settings: Map[String, String]): Map[String, String] = {
    val opened = ParquetReaders.open(file.location, session.sessionState.newHadoopConfWithOptions(settings))
    Using.resource(opened)(reader => FileSchema.keyValues(reader.getFooter.getFileMetaData))
  }
}

/**
 * Spark's Parquet format, whose writers put down field ids and key-value metadata besides what they put down anyway.
 *
 * @param ids
 *   the columns with their field ids; queries lose them where files are not read by ids
 */
private[parquet] class ParquetFormatWithMetadata(ids: StructType, keyValues: Map[String, String])
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
    ParquetOutputFormat.setWriteSupportClass(job, classOf[KeyValueWriteSupport])
    KeyValueWriteSupport.set(ContextUtil.getConfiguration(job), keyValues)
    factory
  }
}

/** Spark's writer of rows, with more metadata. Parquet makes it by its name. */
private[parquet] class KeyValueWriteSupport extends ParquetWriteSupport {

  override def init(configuration: Configuration): WriteContext = {
    val context = super.init(configuration)
    val all = KeyValueWriteSupport.get(configuration) ++ context.getExtraMetaData.asScala
    new WriteContext(context.getSchema, all.asJava)
  }
}

private[parquet] object KeyValueWriteSupport {

  private val Key = "spark.sql.zorder.parquet.keptMetadata"

  private val mapper = new ObjectMapper

  /** A configuration would replace `${names}` in a text. */
  def set(conf: Configuration, keyValues: Map[String, String]): Unit = {
    val json = mapper.writeValueAsString(keyValues.asJava)
    conf.set(Key, Base64.getEncoder.encodeToString(json.getBytes(StandardCharsets.UTF_8)))
  }

  def get(conf: Configuration): Map[String, String] =
    Option(conf.getRaw(Key)).fold(Map.empty[String, String]) { text =>
      val json = new String(Base64.getDecoder.decode(text), StandardCharsets.UTF_8)
      mapper.readValue(json, classOf[java.util.Map[String, String]]).asScala.toMap
    }
}
