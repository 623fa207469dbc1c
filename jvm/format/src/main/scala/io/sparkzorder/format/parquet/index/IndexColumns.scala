// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import scala.collection.mutable

import io.sparkzorder.column.ColumnStatistics
import io.sparkzorder.parquet.footer.StatisticsColumn

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * The statistics of columns in one version of a table's statistics index, each read when it is first asked for.
 *
 * @param file
 *   the file of the index
 * @param schema
 *   its fields
 * @param size
 *   number of data files in it
 */
private[index] final class IndexColumns(session: SparkSession, file: FileStatus, schema: StructType, size: Int) {
  import IndexColumns._

  private val loaded = mutable.Map.empty[StatisticsColumn, ColumnStatistics.OfFiles]

  /** Some columns, those not read before in one pass. */
  def load(wanted: Seq[StatisticsColumn]): Seq[ColumnStatistics.OfFiles] = synchronized {
    val missing = wanted.filterNot(loaded.contains).distinct
    if (missing.nonEmpty) loaded ++= missing.zip(readColumns(missing))
    wanted.map(loaded)
  }

  /** The number of columns in memory. */
  def loadedColumns: Int = synchronized(loaded.size)

  /** The files whose bounds of floating-point numbers leave NaN out. */
  private lazy val withoutNaN: Array[Boolean] = {
    val all = new Array[Boolean](size)
    StatisticsFileIO.foreach(session, file, StructType(Seq(schema(StatisticsFile.withoutNaN)))) { (row, number) =>
      all(number) = row.getBoolean(0)
    }
    all
  }

  private def emptyColumn(dataType: DataType): ColumnStatistics.OfFiles = {
    val (min, max, nulls) = (new Array[Any](size), new Array[Any](size), new Array[Long](size))
    dataType match {
      case FloatType | DoubleType => new ColumnStatistics.OfFiles(min, max, nulls, withoutNaN(_))
      case _ => new ColumnStatistics.OfFiles(min, max, nulls)
    }
  }

  private def readColumns(wanted: Seq[StatisticsColumn]): Seq[ColumnStatistics.OfFiles] = {
    val values = wanted.map(w => emptyColumn(w.dataType)).toArray
    val part = StatisticsFile.schema(wanted)
    val ways = wanted.map(w => position(part(StatisticsFile.min).dataType, w.path)).toArray
    val types = wanted.map(_.dataType).toArray
    val names = Seq(StatisticsFile.min, StatisticsFile.max, StatisticsFile.nulls)
    val fields = part(StatisticsFile.min).dataType.asInstanceOf[StructType].size
    StatisticsFileIO.foreach(session, file, StructType(names.map(part(_)))) { (row, number) =>
      val (min, max, nulls) = (row.getStruct(0, fields), row.getStruct(1, fields), row.getStruct(2, fields))
      var i = 0
      while (i < values.length) {
        values(i).min(number) = InternalRow.copyValue(get(min, ways(i), types(i)))
        values(i).max(number) = InternalRow.copyValue(get(max, ways(i), types(i)))
        values(i).nullCounts(number) = get(nulls, ways(i), LongType) match {
          case count: Long => count
          case _ => -1L
        }
        i += 1
      }
    }
    values.toSeq
  }
}

private object IndexColumns {

  /** The way to a column through structs, by positions; with the number of fields of each struct on the way. */
  private def position(root: DataType, path: Seq[String]): Seq[(Int, Int)] = {
    val struct = root.asInstanceOf[StructType]
    val at = struct.fieldIndex(path.head)
    if (path.tail.isEmpty) Seq((at, 0))
    else {
      val inner = struct(at).dataType
      (at, inner.asInstanceOf[StructType].size) +: position(inner, path.tail)
    }
  }

  @scala.annotation.tailrec
  private def get(row: InternalRow, at: Seq[(Int, Int)], dataType: DataType): Any =
    if (row == null || row.isNullAt(at.head._1)) null
    else if (at.tail.isEmpty) row.get(at.head._1, dataType)
    else get(row.getStruct(at.head._1, at.head._2), at.tail, dataType)
}
