// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import scala.collection.mutable
import scala.util.Try

import io.sparkzorder.parquet.footer.FileStatistics

import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StructType}

/**
 * The columns of an index's files, as their footers have them: so that the columns of a folder are known without a look
 * at files that have not changed. Most tables have one or a few schemas.
 *
 * @param settings
 *   what decided which types the files' types are; the schemas hold for sessions with the same
 * @param schemas
 *   each once
 * @param ofFile
 *   by the numbers of the files, the number of the schema; -1 where it is not known
 */
private[parquet] final class FileColumns private (
    val settings: String,
    val schemas: IndexedSeq[StructType],
    ofFile: Array[Int]) {

  /** The number of files. */
  def size: Int = ofFile.length

  /** The number of a file's schema; None where it is not known. */
  def schemaOf(file: Int): Option[Int] = if (file < ofFile.length) Some(ofFile(file)).filter(_ >= 0) else None

  /** Adds what [[FileColumns.read]] reads to the metadata of a field; nothing where no schema is known, or too many are. */
  def write(to: MetadataBuilder): MetadataBuilder = {
    val runs = FileColumns.runs(ofFile)
    if (schemas.isEmpty || runs.size > FileColumns.MostRuns || schemas.size > FileColumns.MostSchemas) to
    else
      to.putString(FileColumns.Settings, settings)
        .putStringArray(FileColumns.Schemas, schemas.map(_.json).toArray)
        .putLongArray(FileColumns.Counts, runs.map(_._1.toLong).toArray)
        .putLongArray(FileColumns.Numbers, runs.map(_._2.toLong).toArray)
  }
}

private[parquet] object FileColumns {

  private val Settings = "schemaSettings"
  private val Schemas = "schemas"
  private val Counts = "schemaCounts"
  private val Numbers = "schemaNumbers"

  // They stand in the footer of the index, which every query reads.
  private val MostRuns = 10000
  private val MostSchemas = 100

  /**
   * @param files
   *   the schemas of the files, in the order of the index; None where one is not known
   */
  def of(settings: String, files: IterableOnce[Option[StructType]]): FileColumns = {
    val numbers = mutable.LinkedHashMap.empty[StructType, Int]
    // A file has mostly the schema of the one before, the very object.
    var (last, lastNumber) = (Option.empty[StructType], -1)
    def number(schema: Option[StructType]): Int = {
      if (!(schema.exists(s => last.exists(_ eq s)) || (schema.isEmpty && last.isEmpty))) {
        last = schema
        lastNumber = schema.fold(-1)(numbers.getOrElseUpdate(_, numbers.size))
      }
      lastNumber
    }
    val ofFile = files.iterator.map(number).toArray
    new FileColumns(settings, numbers.keys.toIndexedSeq, ofFile)
  }

  /** What a footer says of a file's columns; None where that is not the whole truth. */
  def known(footer: FileStatistics): Option[StructType] =
    Some(footer.schema.columns).filter(_.nonEmpty && footer.schema.doubts.isEmpty && !footer.isEncrypted)

  /** None where nothing is written down, or what is cannot be read. */
  def read(metadata: Metadata): Option[FileColumns] =
    if (!metadata.contains(Settings)) None
    else
      Try {
        val schemas = metadata.getStringArray(Schemas).map(DataType.fromJson(_).asInstanceOf[StructType])
        val (counts, numbers) = (metadata.getLongArray(Counts), metadata.getLongArray(Numbers))
        require(counts.length == numbers.length && numbers.forall(n => n >= -1 && n < schemas.length))
        val ofFile = counts.zip(numbers).flatMap { case (count, number) => Array.fill(count.toInt)(number.toInt) }
        new FileColumns(metadata.getString(Settings), schemas.toIndexedSeq, ofFile)
      }.toOption

  /** Numbers of files one after the other that have the same number, and that. */
  private def runs(ofFile: Array[Int]): Seq[(Int, Int)] = {
    val found = mutable.ArrayBuffer.empty[(Int, Int)]
    ofFile.foreach { number =>
      if (found.nonEmpty && found.last._2 == number) found(found.size - 1) = (found.last._1 + 1, number)
      else found += (1 -> number)
    }
    found.toSeq
  }
}
