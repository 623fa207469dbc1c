// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

/**
 * The ranges of one column in all files of a table, and measures of how well they serve data skipping.
 *
 * A file of unknown range counts as one that holds every value, because a reader has to read it. Overlaps and depth are
 * those of Snowflake's clustering information: overlaps of a file are the other files whose range meets its own, its
 * depth is the largest number of files, itself included, that share a value of its range.
 *
 * @param ranges
 *   the range of each file
 * @param ordering
 *   order of the bounds
 */
final class FileRanges(ranges: IndexedSeq[ColumnRange], ordering: Ordering[Any]) {

  private val within = ranges.collect { case w: ColumnRange.Within => w }
  private val lows = within.map(_.low).sorted(ordering)
  private val highs = within.map(_.high).sorted(ordering)

  val files: Int = ranges.size

  /** These files and `others`, of the same column. */
  def ++(others: FileRanges): FileRanges = new FileRanges(ranges ++ others.all, ordering)

  private def all: IndexedSeq[ColumnRange] = ranges

  /** Files of unknown range. */
  val unknown: Int = ranges.count(_ == ColumnRange.Unknown)

  /** The least and greatest known bounds; None where there is none. */
  def bounds: Option[(Any, Any)] = if (within.isEmpty) None else Some((lows.head, highs.last))

  /** The number of files that may hold `value`. */
  def depthAt(value: Any): Int = atOrBelow(lows, value) - below(highs, value) + unknown

  /** The distinct lows, and the distinct highs, each with the number of files at or below it: `depthAt` as data. */
  def steps: (IndexedSeq[(Any, Int)], IndexedSeq[(Any, Int)]) = (cumulative(lows), cumulative(highs))

  /** Per file, the number of other files whose range meets its own. */
  lazy val overlaps: IndexedSeq[Int] = ranges.map {
    case ColumnRange.Within(low, high) => atOrBelow(lows, high) - below(highs, low) - 1 + unknown
    case ColumnRange.Unknown => within.size + unknown - 1
    case ColumnRange.NoValue => 0
  }

  /** Per file, the largest number of files, itself included, that share a value of its range. */
  lazy val depths: IndexedSeq[Int] = {
    // Coverage only grows at a low, so the deepest value of a range is its own low or one of the lows inside it.
    val points = lows.distinct
    val deepest = new RangeMaximum(points.map(depthAt).toArray)
    ranges.map {
      case ColumnRange.Within(low, high) => deepest.max(below(points, low), atOrBelow(points, high))
      case ColumnRange.Unknown => if (points.isEmpty) unknown else deepest.max(0, points.size)
      case ColumnRange.NoValue => 1
    }
  }

  def averageOverlaps: Double = average(overlaps)

  def averageDepth: Double = average(depths)

  def maxDepth: Int = depths.maxOption.getOrElse(0)

  /** Files by depth: 0 to 16 one by one, then up to 32, 64, 128 ...; the upper end of each step that has files. */
  def depthHistogram: Map[Int, Long] =
    depths.groupBy(d => if (d <= 16) d else Integer.highestOneBit(d - 1) << 1).map { case (d, f) => d -> f.size.toLong }

  /** The mean share of files that a point lookup of one of `values` reads; None without a value. */
  def readShare(values: Iterator[Any]): Option[Double] = {
    var looked = 0L
    var read = 0L
    values.foreach { v =>
      looked += 1
      read += depthAt(v)
    }
    if (looked == 0 || files == 0) None else Some(read.toDouble / looked / files)
  }

  private def average(of: IndexedSeq[Int]): Double = if (of.isEmpty) 0.0 else of.map(_.toLong).sum.toDouble / of.size

  private def cumulative(sorted: IndexedSeq[Any]): IndexedSeq[(Any, Int)] =
    sorted.indices.collect {
      case i if i + 1 == sorted.size || !ordering.equiv(sorted(i), sorted(i + 1)) => sorted(i) -> (i + 1)
    }

  private def below(sorted: IndexedSeq[Any], value: Any): Int = firstWhere(sorted, ordering.gteq(_, value))

  private def atOrBelow(sorted: IndexedSeq[Any], value: Any): Int = firstWhere(sorted, ordering.gt(_, value))

  private def firstWhere(sorted: IndexedSeq[Any], holds: Any => Boolean): Int = {
    var low = 0
    var high = sorted.size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (holds(sorted(middle))) high = middle else low = middle + 1
    }
    low
  }
}

/** The known bounds of the values of one column in one file. Bounds are keys ([[io.sparkzorder.key.KeyOrder]]). */
sealed trait ColumnRange

object ColumnRange {

  /** Every value lies in `low .. high`, both included. */
  final case class Within(low: Any, high: Any) extends ColumnRange

  /** The file holds no value but NULL, or no row. */
  case object NoValue extends ColumnRange

  /** No bounds are known: a reader can never skip the file. */
  case object Unknown extends ColumnRange
}

/**
 * Maxima of slices of an array in constant time each, after n log n preparation.
 *
 * A sparse table: M. A. Bender, M. Farach-Colton, "The LCA problem revisited", LATIN 2000.
 */
private[layout] final class RangeMaximum(values: Array[Int]) {

  // levels(k)(i) is the maximum of the 2**k values from i.
  private val levels: Array[Array[Int]] = Iterator
    .iterate((values, 1)) { case (row, width) =>
      (Array.tabulate(math.max(0, row.length - width))(i => math.max(row(i), row(i + width))), width * 2)
    }
    .map(_._1)
    .takeWhile(_.nonEmpty)
    .toArray

  /** The maximum of `values(from until to)`; there must be one. */
  def max(from: Int, to: Int): Int = {
    val level = 31 - Integer.numberOfLeadingZeros(to - from)
    math.max(levels(level)(from), levels(level)(to - (1 << level)))
  }
}
