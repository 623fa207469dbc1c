// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

/**
 * Points that stand for the rows of clustered files and of new files, all at one rate.
 *
 * Only a file's bounds are known, so its points are spread evenly in its box: by the additive recurrence of M. Roberts,
 * "The unreasonable effectiveness of quasirandom sequences" (2018), the same each time. On an axis of few values they
 * have those of the new files.
 *
 * @param perFile
 *   number of points of a file to aim at
 */
final class SimulationPoints(boxes: IndexedSeq[FileBox], newRows: NewRows, perFile: Int = SimulationPoints.PerFile) {
  import SimulationPoints._
  import newRows.{repeated, sample}

  private val axes = sample.indices
  private val sampled = sample.headOption.fold(0)(_.length)
  private val rows = math.max(1L, boxes.map(_.rows).sum + newRows.rows)
  private val rate = {
    val wanted = math.min(1.0, math.max(Fewest, perFile.toLong * math.min(boxes.size, MostFiles)).toDouble / rows)
    // The sample should suffice for the rate, but boxes of a few points would show nothing.
    val possible = if (newRows.rows == 0) wanted else math.min(wanted, sampled.toDouble / newRows.rows)
    math.max(possible, math.min(wanted, FewestPerFile * boxes.size.toDouble / rows))
  }

  private def points(rows: Long): Int = math.max(1, math.round(rows * rate)).toInt

  private val starts: IndexedSeq[Int] = boxes.map(b => points(b.rows)).scanLeft(0)(_ + _)
  private val drawn = math.min(sampled, if (newRows.rows == 0) 0 else points(newRows.rows))

  /** Per axis, the coordinates of all points. */
  val coordinates: IndexedSeq[Array[Double]] = axes.map { axis =>
    val inBoxes = boxes.indices.iterator.flatMap { b =>
      val (low, width) = (boxes(b).low(axis), boxes(b).high(axis) - boxes(b).low(axis))
      (1 to starts(b + 1) - starts(b)).iterator.map(i => nearby(axis, low + width * fraction(i * step(axis)), boxes(b)))
    }
    // Every so many-eth of the sample, which is in no order that matters.
    val inNewFiles = (0 until drawn).iterator.map(i => sample(axis)((i.toLong * sampled / drawn).toInt))
    (inBoxes ++ inNewFiles).toArray
  }

  /** The points of a box. */
  def of(box: Int): Range = starts(box) until starts(box + 1)

  /** The points of the new files. */
  val ofNewRows: Range = starts.last until starts.last + drawn

  val all: Array[Int] = (0 until starts.last + drawn).toArray

  /** The value itself or, on an axis of few values, the one at or below it: files are not cut within a value. */
  private def nearby(axis: Int, value: Double, box: FileBox): Double = {
    val found = java.util.Arrays.binarySearch(repeated(axis), value)
    if (repeated(axis).isEmpty || found >= 0) value
    else math.max(box.low(axis), repeated(axis)(math.max(0, -found - 2)))
  }

  private def step(axis: Int): Double = math.pow(harmonious, -(axis + 1))

  /** The root above 1 of `x ** (axes + 1) = x + 1`. */
  private lazy val harmonious: Double =
    Iterator.iterate(2.0)(x => math.pow(1 + x, 1.0 / (axes.size + 1))).drop(40).next()

  private def fraction(x: Double): Double = x - math.floor(x)
}

object SimulationPoints {
  private val Fewest = 5000L

  /** Enough to distinguish choices. */
  val PerFile = 200

  /** Enough that cells of the curve hold about as many points as rows, so that files are cut as a run would cut them. */
  val PerFileOfCells = 1000

  private val FewestPerFile = 50L

  // Of more files each has fewer points, down to the fewest.
  private val MostFiles = 500
}

/**
 * The rows of a partition's new files.
 *
 * @param sample
 *   per axis, coordinates of a sample of them
 * @param rows
 *   number of rows for which the sample stands
 * @param bytes
 *   size of the new files
 */
final case class NewRows(sample: IndexedSeq[Array[Double]], rows: Long, bytes: Long) {

  /** Per axis, the values of the sample, ascending, where most of them are there several times; else none. */
  private[incremental] lazy val repeated: IndexedSeq[Array[Double]] = sample.map { axis =>
    val distinct = axis.distinct.sorted
    if (distinct.length * NewRows.FewestRepeats <= axis.length) distinct else Array.empty[Double]
  }
}

object NewRows {
  private val FewestRepeats = 4
}
