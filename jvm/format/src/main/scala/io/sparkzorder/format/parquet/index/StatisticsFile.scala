// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import scala.util.matching.Regex

import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.format.{Clustering, ListedFile}
import io.sparkzorder.parquet.footer.StatisticsColumn

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * The form of a file of the statistics index: Parquet, a row for each data file.
 *
 * `file` (path in the table), `size` (bytes), `modification_time` (milliseconds since 1970), `rows`; then `min`, `max`
 * and `null_count`, each a struct with the table's columns as fields, nested as they are; then `clustering`, how
 * OPTIMIZE has laid the file out, `state`, a number by which the file system distinguishes files of one name, size
 * and time, and `without_nan`. NULL where something is not known.
 */
private[parquet] object StatisticsFile {

  /** A data file in the statistics index. */
  final case class Entry(
      file: ListedFile,
      rows: Long,
      columns: IndexedSeq[ColumnStatistics],
      clustering: Option[Clustering],
      state: Option[Long])

  /** The only format that is read: an index of another one is rebuilt. */
  val Format = 2

  /** Format, number of the version, and what makes the name unique. */
  val Name: Regex = """v(\d+)-(\d+)-([^.]+)\.(?:index|parquet)""".r

  /** Not with the ending of a data file: DuckDB and others take all such files below a folder, also of hidden folders. */
  def name(version: Long, unique: String): String = f"v$Format%d-$version%08d-$unique$Ending"

  private val Ending = ".index"

  /** Whether a name is not one that older builds gave. */
  def isNamedSo(name: String): Boolean = name.endsWith(Ending)

  val (file, size, time, rows) = ("file", "size", "modification_time", "rows")
  val (min, max, nulls, clustering, state) = ("min", "max", "null_count", "clustering", "state")

  /** Whether bounds of floating-point numbers leave NaN out, which is a matter of the file's writer. */
  val withoutNaN = "without_nan"

  val clusteringType: StructType = new StructType()
    .add("columns", ArrayType(ArrayType(StringType)))
    .add("curve", StringType)
    .add("layer", BooleanType)
    .add("run", StringType)
    .add("batch", IntegerType)
    .add("batches", IntegerType)

  private val fixed =
    new StructType().add(file, StringType).add(size, LongType).add(time, LongType).add(rows, LongType)

  // Metadata of the first field, `file`.
  private val caseKey = "caseSensitive"
  private val anyCase = "any"

  /** A schema that says how columns were found in the files, see [[caseSensitive]], and which columns each file has. */
  def withNotes(schema: StructType, caseSensitive: Option[Boolean], of: FileColumns): StructType = {
    val notes = of.write(new MetadataBuilder().putString(caseKey, caseSensitive.fold(anyCase)(_.toString))).build()
    StructType(schema.map(f => if (f.name == file) f.copy(metadata = notes) else f))
  }

  /** The columns of the files; None where they are not known. */
  def fileColumns(schema: StructType): Option[FileColumns] = FileColumns.read(schema(file).metadata)

  /**
   * How names of columns were compared when files were looked through: the statistics hold for readers that compare
   * them so. None where all files spell the columns as the index does, such that it makes no difference.
   */
  def caseSensitive(schema: StructType): Option[Boolean] = schema(file).metadata.getString(caseKey).toBooleanOption

  /** The schema of an index of some columns. */
  def schema(columns: Seq[StatisticsColumn]): StructType = {
    val bounds = nested(columns.map(c => (c.path, c.dataType)))
    val counts = nested(columns.map(c => (c.path, LongType)))
    val statistics =
      if (columns.isEmpty) Nil else Seq(min -> bounds, max -> bounds, nulls -> counts).map(f => StructField(f._1, f._2))
    StructType(fixed ++ statistics).add(clustering, clusteringType).add(state, LongType).add(withoutNaN, BooleanType)
  }

  /** Columns by their paths, as structs in structs. */
  def nested(columns: Seq[(Seq[String], DataType)]): StructType = {
    val names = columns.map(_._1.head).distinct
    StructType(names.map { name =>
      val under = columns.filter(_._1.head == name)
      val dataType = under match {
        case Seq((Seq(_), leaf)) => leaf
        case _ => nested(under.map(c => (c._1.tail, c._2)))
      }
      StructField(name, dataType)
    })
  }

  /** The columns of which an index of this schema has statistics, in the order of its fields. */
  def columns(schema: StructType): IndexedSeq[StatisticsColumn] =
    schema.fields.find(_.name == min).map(_.dataType) match {
      case Some(bounds: StructType) => leaves(bounds, Nil).toIndexedSeq
      case _ => IndexedSeq.empty
    }

  private def leaves(struct: StructType, above: Seq[String]): Seq[StatisticsColumn] = struct.fields.toSeq.flatMap { f =>
    f.dataType match {
      case inner: StructType => leaves(inner, above :+ f.name)
      case leaf => Seq(StatisticsColumn(above :+ f.name, leaf))
    }
  }

  /** A row of a file with `schema(columns)`, whose columns are in the order of [[columns]]. */
  def row(entry: Entry, columns: IndexedSeq[StatisticsColumn]): InternalRow = {
    val values = columns.map(_.path).zip(entry.columns)
    val statistics =
      if (columns.isEmpty) Nil
      else
        Seq[ColumnStatistics => Any](_.min, _.max, _.nullCount.orNull).map { of =>
          struct(values.map { case (path, c) => (path, of(c)) })
        }
    val head =
      Seq[Any](UTF8String.fromString(entry.file.path), entry.file.bytes, entry.file.modificationTime, entry.rows)
    new GenericInternalRow(
      (head ++ statistics :+ entry.clustering.map(write).orNull :+ entry.state.map(Long.box).orNull :+
        entry.columns.exists(_.mayHoldNaN)).toArray)
  }

  private def struct(values: Seq[(Seq[String], Any)]): InternalRow =
    new GenericInternalRow(values.map(_._1.head).distinct.map { name =>
      values.filter(_._1.head == name) match {
        case Seq((Seq(_), value)) => value
        case under => struct(under.map(v => (v._1.tail, v._2)))
      }
    }.toArray[Any])

  private def write(c: Clustering): InternalRow = {
    def text(s: String) = UTF8String.fromString(s)
    val columns: ArrayData = new GenericArrayData(c.columns.map(p => new GenericArrayData(p.map(text).toArray[Any])))
    new GenericInternalRow(Array[Any](columns, text(c.curve), c.isLayer, text(c.run), c.batch, c.batches))
  }

  /** What [[row]] has made of a clustering, of [[clusteringType]]. */
  def readClustering(row: InternalRow): Clustering = {
    val columns = row.getArray(0)
    val paths = (0 until columns.numElements()).map { i =>
      val path = columns.getArray(i)
      (0 until path.numElements()).map(path.getUTF8String(_).toString)
    }
    Clustering(
      paths,
      row.getUTF8String(1).toString,
      row.getBoolean(2),
      row.getUTF8String(3).toString,
      row.getInt(4),
      row.getInt(5))
  }
}
