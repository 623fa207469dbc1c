// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

/**
 * Points that stand for the rows of clustered files and of new files, all at one rate.
 *
 * Only a file's bounds are known, so its points are spread evenly in its box: by the additive recurrence of M. Roberts,
 * "The unreasonable effectiveness of quasirandom sequences" (2018), the same each time.
 *
 * @param arrivals
 *   per axis, coordinates of a sample of the new files' rows
 * @param arrivedRows
 *   number of rows for which the sample stands
 */
final class SimulationPoints(boxes: IndexedSeq[FileBox], arrivals: IndexedSeq[Array[Double]], arrivedRows: Long) {
  import SimulationPoints._

  private val axes = arrivals.indices
  private val sampled = arrivals.headOption.fold(0)(_.length)
  private val rows = math.max(1L, boxes.map(_.rows).sum + arrivedRows)
  private val rate = {
    val wanted = math.min(1.0, math.max(Fewest, PerFile * boxes.size).min(Most).toDouble / rows)
    // The sample should suffice for the rate, but boxes of a few points would tell nothing.
    val possible = if (arrivedRows == 0) wanted else math.min(wanted, sampled.toDouble / arrivedRows)
    math.max(possible, math.min(wanted, FewestPerFile * boxes.size.toDouble / rows))
  }

  private def points(rows: Long): Int = math.max(1, math.round(rows * rate)).toInt

  private val starts: IndexedSeq[Int] = boxes.map(b => points(b.rows)).scanLeft(0)(_ + _)
  private val drawn = math.min(sampled, if (arrivedRows == 0) 0 else points(arrivedRows))

  /** Per axis, the coordinates of all points. */
  val coordinates: IndexedSeq[Array[Double]] = axes.map { axis =>
    val inBoxes = boxes.indices.iterator.flatMap { b =>
      val (low, width) = (boxes(b).low(axis), boxes(b).high(axis) - boxes(b).low(axis))
      (1 to starts(b + 1) - starts(b)).iterator.map(i => low + width * fraction(i * step(axis)))
    }
    // Every so many-eth of the sample, which is in no order that matters.
    val ofArrivals = (0 until drawn).iterator.map(i => arrivals(axis)((i.toLong * sampled / drawn).toInt))
    (inBoxes ++ ofArrivals).toArray
  }

  /** The points of a box. */
  def of(box: Int): Range = starts(box) until starts(box + 1)

  /** The points of the new files. */
  val arrived: Range = starts.last until starts.last + drawn

  val all: Array[Int] = (0 until starts.last + drawn).toArray

  private def step(axis: Int): Double = math.pow(harmonious, -(axis + 1))

  /** The root above 1 of `x ** (axes + 1) = x + 1`. */
  private lazy val harmonious: Double =
    Iterator.iterate(2.0)(x => math.pow(1 + x, 1.0 / (axes.size + 1))).drop(40).next()

  private def fraction(x: Double): Double = x - math.floor(x)
}

object SimulationPoints {
  private val Fewest = 5000L
  private val PerFile = 200L
  private val FewestPerFile = 50L
  private val Most = 100000L
}
