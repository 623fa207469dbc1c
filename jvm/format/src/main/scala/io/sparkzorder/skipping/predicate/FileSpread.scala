// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.util.{Collections, UUID, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, ExprId, Expression}
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
   * values from all over the column. With a single file there is nothing to leave out; of types without a distance it
   * is taken for granted.
   */
  def tellsApart(key: Expression, files: FilesWithStatistics, partitionColumns: Set[String]): Boolean = {
    val keys = known.computeIfAbsent(files, _ => new ConcurrentHashMap)
    // Queries may name as many as they like.
    if (keys.size >= MostKeys) keys.clear()
    keys.computeIfAbsent(Key.of(key, partitionColumns), _ => areApart(key, files, partitionColumns))
  }

  /** What [[tellsApart]] has found before; None where it was not asked: it looks at all files. */
  def found(key: Expression, files: FilesWithStatistics, partitionColumns: Set[String]): Option[Boolean] =
    Option(known.get(files)).flatMap(keys => Option(keys.get(Key.of(key, partitionColumns))))

  /** @param named the key over columns that are known by their names alone */
  final private case class Key(named: Expression, partitionColumns: Set[String])

  private object Key {
    def of(key: Expression, partitionColumns: Set[String]): Key =
      Key(key.transform { case a: Attribute => AttributeReference(a.name, a.dataType)(Nobody) }, partitionColumns)

    private val Nobody = ExprId(0, new UUID(0, 0))
  }

  private val MostKeys = 1000

  // As long as the statistics themselves are kept.
  private val known =
    Collections.synchronizedMap(new WeakHashMap[FilesWithStatistics, ConcurrentHashMap[Key, Boolean]])

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
