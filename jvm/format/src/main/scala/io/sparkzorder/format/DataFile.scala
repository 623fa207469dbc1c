// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.{ColumnPath, ColumnStatistics, ZOrderColumn}
import io.sparkzorder.layout.measure.{ColumnRange, FileRanges}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/** One data file of a snapshot. */
trait DataFile {

  /** As the table records it. */
  def path: String

  /** The absolute location, for reading the footer. */
  def location: String

  /**
   * The values of the partition columns, in Spark's internal form. It is a key: of two files it is equal, and has one hash,
   * where the table has them in one partition; see [[PartitionRow]].
   */
  def partition: InternalRow

  /** `partition` as new files with the same rows have it: two values can be one to a writer. */
  def writtenPartition: InternalRow = partition

  /** As in a path: `day=2024-01-01/country=CH`; empty in a table without partitions. */
  def partitionName: String

  def bytes: Long

  /** Rows that a reader sees; None where the table does not record it. */
  def rows: Option[Long]

  /** Rows marked as deleted that the file still holds. */
  def deletedRows: Long

  /** `rows`, or about as many where the table does not record it: a weight, no number to rely on. */
  def estimatedRows: Long = rows.getOrElse(1L)

  /** The share of its rows that are deleted, from 0 to 1, as far as the table knows. */
  def deletedShare: Double = if (deletedRows == 0) 0.0 else deletedRows.toDouble / (deletedRows + rows.getOrElse(0L))

  /** The bytes that `rows` would take: less than `bytes` where rows are deleted. */
  def liveBytes: Long

  /** As the table records them; deleted rows count. */
  def statistics(column: ColumnPath): ColumnStatistics

  /** The bound by which readers of the format skip the file, where it is wider than `max` as recorded. */
  protected def readerMax(max: Any, dataType: DataType): Any = max

  /** The statistics of a column by which readers of the format skip the file. */
  def readerStatistics(column: ColumnPath, dataType: DataType): ColumnStatistics = {
    val known = statistics(column)
    known.copy(max = readerMax(known.max, dataType))
  }

  /** The values of a column, as far as readers know them. */
  def range(column: ZOrderColumn): ColumnRange = {
    val known = readerStatistics(column.path, column.dataType)
    if (known.min != null && known.max != null) {
      val (low, high) = (column.keyType.key(known.min), column.keyType.key(known.max))
      // A log may hold replacement characters for invalid text, which can swap the bounds.
      if (column.keyType.compare(low, high) <= 0) ColumnRange.Within(low, high) else ColumnRange.Unknown
    } else if (known.nullCount.isDefined && known.nullCount == rows.map(_ + deletedRows)) ColumnRange.NoValue
    else ColumnRange.Unknown
  }

  /** As [[range]], with null for NULL, below every value; None where the bounds are not known. */
  def rangeWithNull(column: ZOrderColumn): Option[ColumnRange.Within] = range(column) match {
    case known: ColumnRange.Within if statistics(column.path).nullCount.contains(0L) => Some(known)
    case ColumnRange.Within(_, high) => Some(ColumnRange.Within(null, high))
    case ColumnRange.NoValue => Some(ColumnRange.Within(null, null))
    case ColumnRange.Unknown => None
  }

  /** How it was laid out; None for a file that another writer made. */
  def clustering: Option[Clustering]
}

object DataFile {

  /** The ranges of a column in files. */
  def ranges(files: IndexedSeq[DataFile], column: ZOrderColumn): FileRanges =
    new FileRanges(files.map(_.range(column)), column.keyType.ordering)
}

/**
 * A data file as a listing shows it: size and time distinguish it from another file with the same path.
 *
 * @param path
 *   path relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
 * @param bytes
 *   size of the file
 * @param modificationTime
 *   time in milliseconds since 1970
 */
final case class ListedFile(path: String, bytes: Long, modificationTime: Long) {

  /** Whether it is the other one, of whichever call of the file system each is. */
  def isSame(other: ListedFile): Boolean =
    path == other.path && bytes == other.bytes && ListedFile.isSameTime(modificationTime, other.modificationTime)
}

object ListedFile {

  /** Some stores list times in milliseconds, and answer for one file in seconds. */
  def isSameTime(a: Long, b: Long): Boolean =
    a == b || ((a % 1000 == 0 || b % 1000 == 0) && a / 1000 == b / 1000)

  /** The folder of a file, relative to the table's; empty for a file in that itself. */
  def folderOf(path: String): String = path.substring(0, math.max(0, path.lastIndexOf('/')))

  /** Of a path in a table. Hadoop takes one with a colon for a URI. */
  def nameOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)

  /** The path of the file of which Hadoop keeps its sums in this one; None where it is no such file. */
  def ofSums(path: String): Option[String] = nameOf(path) match {
    case s".$name.crc" => Some(path.stripSuffix(nameOf(path)) + name)
    case _ => None
  }

  /** A path and the folders above it, up to the root. */
  def upwards(path: Path): Iterator[Path] = Iterator.iterate(path)(_.getParent).takeWhile(_ != null)

  /** Whether a folder has the name of a partition. */
  def isPartition(name: String): Boolean = name.indexOf('=') > 0
}

/**
 * The layout that a file was written with, as the table records it. The bounds of the file are those of its statistics.
 *
 * @param columns
 *   the z-order columns, each by the names under which files store it: those outlive a renaming
 * @param curve
 *   name of the curve, one of [[io.sparkzorder.curve.Curve.names]]
 * @param isLayer
 *   whether the file belongs to a layer over clustered files, as `IncrementalPlanner` defines it
 * @param run
 *   the id of the statement that wrote it
 * @param batch
 *   the number of its commit in that statement, from 1
 * @param batches
 *   the number of commits that the statement was going to make
 */
final case class Clustering(
    columns: Seq[Seq[String]],
    curve: String,
    isLayer: Boolean,
    run: String,
    batch: Int,
    batches: Int) {

  /** Whether another file of the same layout could lie beside it. */
  def matches(otherColumns: Seq[Seq[String]], otherCurve: String): Boolean =
    columns == otherColumns && curve == otherCurve
}
