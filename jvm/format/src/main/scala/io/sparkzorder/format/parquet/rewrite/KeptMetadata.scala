// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import scala.util.Using

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.listing.ParquetFile
import io.sparkzorder.parquet.footer.{FieldIds, FileSchema, PhysicalForm}

import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, SparkToParquetSchemaConverter}
import org.apache.spark.sql.types.StructType

/**
 * The metadata that a rewrite carries from old files to new ones.
 *
 * @param ids
 *   the columns with their field ids
 * @param notes
 *   key-value metadata to write
 */
private[parquet] final case class KeptMetadata(ids: StructType, notes: Map[String, String]) {

  /** Spark's writer, made to write them. */
  def format: ParquetFileFormat =
    if (notes.isEmpty && !FieldIds.isIn(ids)) new ParquetFileFormat else new ParquetFormatWithMetadata(ids, notes)
}

private[parquet] object KeptMetadata extends Logging {

  private val Geo = "geo"

  // They describe each column in the order and form that it has in the file, and are believed.
  private val Descriptions = Seq(
    "ARROW:schema",
    "avro.schema",
    "iceberg.schema",
    "parquet.avro.schema",
    "parquet.proto.class",
    "parquet.proto.descriptor",
    "thrift.class",
    "thrift.descriptor"
  )

  // It tells of the program that wrote a file, which is Spark from now on.
  private val Writer = "writer.model.name"

  /**
   * @param schema
   *   schema of the new files
   * @param files
   *   the files to replace
   * @throws ZOrderAnalysisException
   *   where GeoParquet's metadata would be lost, without which readers do not find the geometries
   */
  def of(
      session: SparkSession,
      table: String,
      schema: StructType,
      files: Seq[(FileSchema, ParquetFile)]): KeptMetadata = {
    val all = files.map(_._1.notes - Writer)
    val (same, others) = all.flatMap(_.keySet).distinct.partition(key => all.map(_.get(key)).distinct.size == 1)
    if (others.contains(Geo)) {
      val (first, file) = files.head
      val (_, other) = files.find(_._1.notes.get(Geo) != first.notes.get(Geo)).get
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
    val values = if (kept.isEmpty) Map.empty[String, String] else notes(session, files.head._2)
    KeptMetadata(schema, values.filter(v => kept.contains(v._1)))
  }

  private def notes(session: SparkSession, file: ParquetFile): Map[String, String] = {
    val hadoop = session.sessionState.newHadoopConf()
    val path = new Path(file.location)
    val options = HadoopReadOptions.builder(hadoop, path).build()
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, hadoop), options)) { reader =>
      FileSchema.notes(reader.getFooter.getFileMetaData)
    }
  }
}
