// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.nio.charset.StandardCharsets
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.Footer
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.{MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeUnit, TimestampLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetFileFormat,
  ParquetReadSupport,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The columns of a Parquet file, and what its writer has put down beside them.
 *
 * @param columns
 *   all columns of the file, with their field ids as metadata; after them those that only Spark's metadata names,
 *   as they are NULL to readers of the file
 * @param doubts
 *   columns of which it is not certain what the file holds
 * @param form
 *   see [[PhysicalForm]]
 * @param int96
 *   columns of this type that may have parts of a microsecond, as Spark has not written them
 * @param nanos
 *   columns that are timestamps of nanoseconds by their type, which Spark reads, if at all, as plain numbers
 * @param keyValues
 *   what stands for the values of key-value metadata without Spark's own: equal for equal values, which may be long
 */
private[sparkzorder] final case class FileSchema(
    columns: StructType,
    doubts: Seq[TypeDoubt],
    form: String,
    int96: Seq[Seq[String]],
    nanos: Seq[Seq[String]],
    keyValues: Map[String, String]) {

  /** Without what only a rewrite has to know. */
  def brief: FileSchema = copy(form = "", int96 = Nil, nanos = Nil, keyValues = Map.empty)
}

private[sparkzorder] object FileSchema {

  /** Of a file whose schema nobody wants to know. */
  val none: FileSchema = FileSchema(new StructType, Nil, "", Nil, Nil, Map.empty)

  private val SparkPrefix = "org.apache.spark."

  /**
   * The physical schema is the truth: programs that copy metadata from file to file may have added columns. Spark's
   * metadata names types that Parquet has no word for, such as intervals.
   *
   * @param converter
   *   what Spark makes of physical types
   */
  def of(location: Path, footer: ParquetMetadata, converter: ParquetToSparkSchemaConverter): FileSchema = {
    val meta = footer.getFileMetaData
    val (untyped, physical) = convert(meta.getSchema, converter)
    val typed = noted(location, footer, converter) match {
      case None => SparkSchemaTypes.Result(StructType(physical), Nil)
      case Some(noted) =>
        // What Spark cannot read is not in the metadata's hands either.
        val known = StructType(noted.filterNot(f => untyped.exists(_.column == Seq(f.name))))
        SparkSchemaTypes(StructType(physical), known)
    }
    FileSchema(
      typed.schema,
      untyped ++ typed.doubts,
      PhysicalForm(meta.getSchema),
      if (isBySpark(meta)) Nil else leaves(meta.getSchema)(_.getPrimitiveTypeName == INT96),
      leaves(meta.getSchema)(isNanos),
      keyValues(meta).map { case (key, value) => key -> PhysicalForm.digest(value) }
    )
  }

  /** Key-value metadata without Spark's own. */
  def keyValues(meta: FileMetaData): Map[String, String] =
    meta.getKeyValueMetaData.asScala.toMap.filterNot(_._1.startsWith(SparkPrefix))

  private def noted(
      location: Path,
      footer: ParquetMetadata,
      converter: ParquetToSparkSchemaConverter): Option[StructType] =
    if (!footer.getFileMetaData.getKeyValueMetaData.containsKey(ParquetReadSupport.SPARK_METADATA_KEY)) None
    // Metadata that is damaged is none to Spark.
    else Try(ParquetFileFormat.readSchemaFromFooter(new Footer(location, footer), converter)).toOption

  private def convert(
      schema: MessageType,
      converter: ParquetToSparkSchemaConverter): (Seq[TypeDoubt], Seq[StructField]) = {
    val each = schema.getFields.asScala.toSeq.map { t =>
      // One by one: what Spark has no type for must not hide the other columns.
      Try(FieldIds.inFile(converter.convert(new MessageType(schema.getName, t)), Seq(t)).head) match {
        case Success(one) => Right(one)
        case Failure(_) => Left(TypeDoubt(Seq(t.getName), PhysicalForm.text(t), None))
      }
    }
    (each.collect { case Left(doubt) => doubt }, each.collect { case Right(field) => field })
  }

  /** Spark writes whole microseconds. Other programs that keep its metadata have writers of another name. */
  private def isBySpark(meta: FileMetaData): Boolean =
    meta.getKeyValueMetaData.containsKey(ParquetReadSupport.SPARK_METADATA_KEY) &&
      Option(meta.getCreatedBy).exists(_.startsWith("parquet-mr"))

  private def leaves(schema: MessageType)(of: PrimitiveType => Boolean): Seq[Seq[String]] =
    schema.getColumns.asScala.toSeq.filter(c => of(c.getPrimitiveType)).map(_.getPath.toSeq)

  private def isNanos(leaf: PrimitiveType): Boolean = leaf.getLogicalTypeAnnotation match {
    case t: TimestampLogicalTypeAnnotation => t.getUnit == TimeUnit.NANOS
    case _ => false
  }
}

/** What a Parquet schema says of names, order and types of columns; not of field ids, nor of which may be NULL. */
private[sparkzorder] object PhysicalForm {

  /** Of equal forms where the schemas differ in nothing else. */
  def apply(schema: MessageType): String = digest(schema.getFields.asScala.map(write).mkString(";"))

  /** What stands for a long text where it is only compared. */
  def digest(text: String): String = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString

  /** The type of a column for a message. */
  def text(column: Type): String = column match {
    case p: PrimitiveType => primitive(p)
    case group => s"group${annotation(group)}"
  }

  private def write(t: Type): String = {
    val repeated = if (t.isRepetition(Type.Repetition.REPEATED)) "*" else ""
    val inside = t match {
      case p: PrimitiveType => primitive(p)
      case group => annotation(group) + group.asGroupType.getFields.asScala.map(write).mkString("{", ";", "}")
    }
    s"$repeated`${t.getName}` $inside"
  }

  private def primitive(p: PrimitiveType): String = {
    val length = if (p.getTypeLength > 0) s"(${p.getTypeLength})" else ""
    s"${p.getPrimitiveTypeName}$length${annotation(p)}"
  }

  private def annotation(t: Type): String = Option(t.getLogicalTypeAnnotation).fold("")(a => s" ($a)")
}
