// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.types._

/** The files of a scan, before it runs. */
trait SpreadFiles {

  /**
   * Whether ranges of one of these keys, or many of them, may leave out some files and not others.
   *
   * @param mayLoad
   *   whether statistics that are not there yet are loaded; if not, true where it is not known
   */
  def tellsApart(keys: Seq[Expression], mayLoad: Boolean): Boolean
}

/** How far the files of a table lie apart in a column. */
private[skipping] object FileSpread {

  /**
   * Whether ranges of a key, or many keys, may leave out some files and not others. They do not where each file has
   * values from all over the column. A single file tells nothing apart; of types without a distance it is taken for granted.
   */
  def tellsApart(key: Expression, files: FilesWithStatistics, partitionColumns: Set[String]): Boolean = key match {
    // Each query that joins by a column asks when it is planned, which may not take a look at all files each time.
    case column: AttributeReference =>
      val columns = known.computeIfAbsent(files, _ => new ConcurrentHashMap)
      columns.computeIfAbsent(
        Column(column.name, column.dataType, partitionColumns),
        _ => areApart(key, files, partitionColumns))
    case _ => areApart(key, files, partitionColumns)
  }

  final private case class Column(name: String, dataType: DataType, partitionColumns: Set[String])

  // As long as the statistics themselves are kept.
  private val known =
    Collections.synchronizedMap(new WeakHashMap[FilesWithStatistics, ConcurrentHashMap[Column, Boolean]])

  private def areApart(key: Expression, files: FilesWithStatistics, partitionColumns: Set[String]): Boolean =
    new BoundsResolver(files, partitionColumns).of(key).exists { bounds =>
      !hasDistance(key.dataType) || areApart((0 until files.size).filter(bounds.mayHaveValue(_)).map { file =>
        (bounds.min(file), bounds.max(file))
      }.collect { case (low: Number, high: Number) => (low.doubleValue, high.doubleValue) })
    }

  private def areApart(ranges: Seq[(Double, Double)]): Boolean = ranges.nonEmpty && {
    val (lows, highs) = ranges.unzip
    (lows.max - lows.min).max(highs.max - highs.min) > (highs.max - lows.min) * Share
  }

  private def hasDistance(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  // Of the whole column: thousands of values drawn from all over it leave less between them and its ends.
  private val Share = 0.1
}
