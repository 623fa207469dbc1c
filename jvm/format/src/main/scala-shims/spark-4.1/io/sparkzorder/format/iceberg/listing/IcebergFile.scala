// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, DataFile, TextBounds}

import org.apache.iceberg.{
  DataFile => TableFile,
  DataFiles,
  DeleteFile,
  FileScanTask,
  Metrics,
  MetricsModes,
  PartitionSpec,
  Schema
}
import org.apache.iceberg.spark.SparkUtil
import org.apache.iceberg.types.{Conversions, Type}
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.util.{BinaryUtil, ByteBuffers, ContentFileUtil, UnicodeUtil}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/**
 * A file of an Iceberg table as its manifests record it, but for its metrics where it is scanned, or the rows of one of
 * several partitions in it: a file of an older partition spec may hold rows of many partitions of the current one.
 *
 * @param scanned
 *   what the scan of the snapshot says of it; None for a file just written
 * @param schema
 *   the current schema of the table
 * @param part
 *   the part of the file's live rows that this stands for; None for all of them
 */
private[iceberg] final class IcebergFile(
    val file: TableFile,
    scanned: Option[IcebergFile.Scanned],
    override val partition: InternalRow,
    override val partitionName: String,
    schema: Schema,
    val part: Option[IcebergFile.Part] = None,
    override val clustering: Option[Clustering] = None)
    extends DataFile {

  def task: Option[FileScanTask] = scanned.map(_.planned.task)

  /** With all metrics of its columns. */
  def withMetrics: TableFile = scanned.fold(file) { of =>
    DataFiles.builder(PartitionSpec.unpartitioned).withPath(path).withFormat(file.format)
      .withFileSizeInBytes(file.fileSizeInBytes)
      .withMetrics(of.planned.metrics.of(_ => true))
      .withRecordCount(file.recordCount).build()
  }

  private val deletes: Seq[DeleteFile] = task.toSeq.flatMap(_.deletes.asScala)

  override def path: String = file.location

  override def location: String = file.location

  override def bytes: Long = part.fold(file.fileSizeInBytes)(_.shareOf(file.fileSizeInBytes))

  /**
   * Deletion vectors alone give a number: two position deletes may name one row, and equality deletes name none. Without it
   * `rows` is None, and `estimatedRows` guesses.
   */
  private val areDeletesCounted = deletes.forall(ContentFileUtil.isDV)

  private val exactlyDeleted: Long = if (areDeletesCounted) deletes.map(_.recordCount).sum else 0L

  override def deletedRows: Long = part.fold(exactlyDeleted)(_.shareOf(exactlyDeleted))

  override def rows: Option[Long] = part match {
    case Some(some) => Some(some.rows)
    case None if areDeletesCounted => Some(file.recordCount - exactlyDeleted)
    case None => None
  }

  override def liveBytes: Long = rows match {
    case Some(live) if deletedRows > 0 => (bytes.toDouble * live / (live + deletedRows)).toLong
    case _ => bytes
  }

  private def aboutDeleted: Long = math.min(scanned.fold(0L)(_.deleted.toLong), file.recordCount)

  override def deletedShare: Double = if (file.recordCount == 0) 0.0 else aboutDeleted.toDouble / file.recordCount

  override def estimatedRows: Long = rows.getOrElse(math.max(1L, file.recordCount - aboutDeleted))

  override def statistics(column: ColumnPath): ColumnStatistics =
    FieldPath.to(schema, column).fold(ColumnStatistics.unknown) { way =>
      val field = way.last
      scanned.fold(FileBounds.of(file, field))(of => FileBounds.of(of.planned.metrics.of(_ == field.fieldId), field))
    }
}

private[iceberg] object IcebergFile {

  /**
   * @param ofTask
   *   about the number of its rows that are deleted
   */
  final class Scanned(val planned: PlannedFile, ofTask: => Double) {
    lazy val deleted: Double = ofTask
  }

  /**
   * @param rows
   *   number of the live rows of the part
   * @param before
   *   number of the live rows of the parts before it
   * @param all
   *   number of all live rows of the file
   */
  final case class Part(rows: Long, before: Long, all: Long) {

    /** Its share of a number; the shares of all parts add up to it. */
    def shareOf(number: Long): Long = {
      def upTo(row: Long) = (BigInt(number) * row / all).toLong
      upTo(before + rows) - upTo(before)
    }
  }
}

/** The statistics of a column of a file, as a manifest has them. */
private[iceberg] object FileBounds {

  import org.apache.iceberg.types.Types.NestedField

  def of(file: TableFile, field: NestedField): ColumnStatistics = {
    import file._
    of(new Metrics(null, null, valueCounts, nullValueCounts, nanValueCounts, lowerBounds, upperBounds), field)
  }

  def of(file: Metrics, field: NestedField): ColumnStatistics = {
    val (id, dataType) = (field.fieldId, field.`type`)
    def count(counts: java.util.Map[Integer, java.lang.Long]) =
      Option(counts).flatMap(c => Option(c.get(id))).map(_.toLong)
    val nulls = count(file.nullValueCounts)
    val min = bound(file.lowerBounds, id, dataType)
    val max = bound(file.upperBounds, id, dataType)
    val known =
      if (min == null || max == null) ColumnStatistics(null, null, nulls) else ColumnStatistics(min, max, nulls)
    nan(dataType).fold(known) { value =>
      val nans = count(file.nanValueCounts)
      val isNaNAlone = nans.exists(_ > 0) && nans == count(file.valueCounts).map(_ - nulls.getOrElse(0L))
      if (isNaNAlone) known.copy(min = value, max = value)
      // Bounds are of the other values; to Spark NaN is above them.
      else if (nans.exists(_ > 0) && known.max != null) known.copy(max = value)
      else known.copy(mayHoldNaN = nans.isEmpty)
    }
  }

  /** The bounds that a metrics mode keeps of values that reach from `min` to `max`; null for one that it cannot cut. */
  def cut(min: Any, max: Any, mode: MetricsModes.MetricsMode): (Any, Any) = (mode, min, max) match {
    case (truncate: MetricsModes.Truncate, low: UTF8String, high: UTF8String) =>
      def text(of: String) = if (of == null) null else UTF8String.fromString(of)
      (
        text(UnicodeUtil.truncateStringMin(low.toString, truncate.length)),
        text(UnicodeUtil.truncateStringMax(high.toString, truncate.length)))
    case (truncate: MetricsModes.Truncate, low: Array[Byte], high: Array[Byte]) =>
      def bytes(of: ByteBuffer) = if (of == null) null else ByteBuffers.toByteArray(of)
      (
        bytes(BinaryUtil.truncateBinaryMin(ByteBuffer.wrap(low), truncate.length)),
        bytes(BinaryUtil.truncateBinaryMax(ByteBuffer.wrap(high), truncate.length)))
    case _ => (min, max)
  }

  private def nan(dataType: Type): Option[Any] = dataType.typeId match {
    case TypeID.FLOAT => Some(Float.NaN)
    case TypeID.DOUBLE => Some(Double.NaN)
    case _ => None
  }

  private def bound(bounds: java.util.Map[Integer, ByteBuffer], id: Int, dataType: Type): Any =
    Option(bounds).flatMap(b => Option(b.get(id))).filter(isOrdered(dataType, _)).fold[Any](null) { bytes =>
      val value: Any = SparkUtil.internalToSpark(dataType, Conversions.fromByteBuffer[Any](dataType, bytes))
      if (TextBounds.isSure(value, AfterNoText)) value else null
    }

  // Iceberg makes the character after U+FFFD of it where it cuts a text there.
  private val AfterNoText = UTF8String.fromString("\ufffe")

  /** Releases differ in how they order UUIDs, and a date that became a timestamp is counted in days. */
  private def isOrdered(dataType: Type, bytes: ByteBuffer): Boolean = dataType.typeId match {
    case TypeID.UUID => false
    case TypeID.TIMESTAMP | TypeID.TIMESTAMP_NANO => bytes.remaining == java.lang.Long.BYTES
    case _ => dataType.isPrimitiveType
  }
}
