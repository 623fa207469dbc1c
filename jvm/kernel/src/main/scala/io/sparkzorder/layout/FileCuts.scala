// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

/**
 * Cuts the curve into ranges of about equal numbers of rows, at borders of curve cells.
 *
 * A file that straddles the border of a coarse cell has a box as wide as the whole space; one cut at the border has the
 * box of its cell. So a cut moves within +-`Slack` of the target to the coarsest border there, and of equally coarse
 * ones to the nearest. The cut is the border itself, not the sampled curve position beside it: rows between the two
 * would widen the file before. Executable meaning: `cell_borders` in tests/classic/layout_model.py.
 *
 * A curve position that holds more rows than a file may (`target * (1 + Slack)`) gets files of its own, which share its
 * rows by a hash of the row; its neighbours stay out of them.
 *
 * @param sorted
 *   the curve positions of the sampled rows, ascending, 0 or more each
 * @param target
 *   number of sampled rows that a file should hold
 */
final class FileCuts private (sorted: Array[Long], target: Double) {
  import FileCuts.Slack

  private val result = IndexedSeq.newBuilder[CurveRange]
  private val longest = target * (1 + Slack)

  private def ranges: IndexedSeq[CurveRange] = {
    val end = heavyRuns.foldLeft((0, 0L)) { case ((from, start), (low, high)) =>
      light(from, low, start)
      // Rows that were not sampled may lie before the run; with no sampled row there, no file of their own is due.
      val first = if (low > from) sorted(low) else start
      result += CurveRange(first, math.max(1, math.round((high - low) / target).toInt))
      (high, sorted(low) + 1)
    }
    light(end._1, sorted.length, end._2)
    result.result()
  }

  /** Runs of equal curve positions, as [low, high), that are longer than a file may be. */
  private def heavyRuns: Seq[(Int, Int)] = {
    val runs = Seq.newBuilder[(Int, Int)]
    var low = 0
    while (low < sorted.length) {
      val high = runEnd(low)
      if (high - low > longest) runs += low -> high
      low = high
    }
    runs.result()
  }

  /** Cuts the rows `from .. until`, of which none is in a heavy run; the first file begins at `start`. */
  private def light(from: Int, until: Int, start: Long): Unit = if (until > from) {
    result += CurveRange(start, 1)
    var previous = from
    while (until - previous > longest) {
      previous = nextCut(previous, until)
      if (previous < until) result += CurveRange(border(previous), 1)
    }
  }

  /** The row that begins the next file: after the best border near `previous + target`. */
  private def nextCut(previous: Int, until: Int): Int = {
    val ideal = previous + target
    val low = math.max(previous + 1, (previous + target * (1 - Slack)).toInt)
    val high = math.max(low + 1, math.min((previous + longest).toInt, until - 1))
    val best = (low until high).maxBy(i => (level(i), -math.abs(i - ideal)))
    if (level(best) >= 0) best
    else {
      // One run of equal curve positions fills the window: the file ends before it or after it.
      val starts = Seq(runStart(best), runEnd(best)).filter(_ > previous)
      starts.minBy(i => math.abs(i - ideal))
    }
  }

  private def runStart(i: Int): Int = {
    var start = i
    while (start > 0 && sorted(start - 1) == sorted(i)) start -= 1
    start
  }

  private def runEnd(i: Int): Int = {
    var end = i + 1
    while (end < sorted.length && sorted(end) == sorted(i)) end += 1
    end
  }

  /** The highest bit in which row `i` differs from the row before it; -1 where they are equal. */
  private def level(i: Int): Int = 63 - java.lang.Long.numberOfLeadingZeros(sorted(i) ^ sorted(i - 1))

  private def border(i: Int): Long = sorted(i) >> level(i) << level(i)
}

object FileCuts {

  /** The number of files of about `target` bytes that hold so many, 1 or more. */
  def files(bytes: Double, target: Long): Int =
    math.max(1L, math.round(bytes / target)).min(Int.MaxValue.toLong).toInt

  /** How far a cut may move from its target, as a share of a file. */
  val Slack = 0.35

  /**
   * @param sorted
   *   the curve positions of the sampled rows, ascending, 0 or more each
   * @param files
   *   the number of files to aim at, 1 or more
   * @return
   *   at least one range, ascending, the first from 0
   */
  def ranges(sorted: Array[Long], files: Int): IndexedSeq[CurveRange] =
    if (files <= 1 || sorted.isEmpty) IndexedSeq(CurveRange(0L, 1))
    else new FileCuts(sorted, sorted.length.toDouble / files).ranges
}
