// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

/**
 * Which task writes a row, given the number of its section and its curve position. A section is a table partition, or a
 * part of one that is laid out on its own.
 *
 * A task writes one file, or one file of each of several small sections; never two files of one table partition, and
 * never a file of several. Pure lookups in arrays, so a retried task sends every row where it sent it before.
 */
final class FileAssignment private (
    starts: Array[Array[Long]],
    spread: Array[Array[Int]],
    firstTask: Array[Array[Int]],
    val tasks: Int)
    extends Serializable {

  /** The number of the range of `section` that holds a curve `position`. */
  def range(section: Int, position: Long): Int = {
    val borders = starts(section)
    var low = 0
    var high = borders.length - 1
    // The last start at or below the position; the first start is 0, so there is one.
    while (low < high) {
      val middle = (low + high + 1) >>> 1
      if (borders(middle) <= position) low = middle else high = middle - 1
    }
    low
  }

  /** Whether the rows of a range are shared by several files, so that the row's hash is needed. */
  def isSpread(section: Int, range: Int): Boolean = spread(section)(range) > 1

  /** The tasks that write files of a section. */
  def tasksOf(section: Int): Set[Int] = firstTask(section).zip(spread(section)).flatMap { case (first, files) =>
    first until first + files
  }.toSet

  def task(section: Int, range: Int, rowHash: Int): Int =
    firstTask(section)(range) + java.lang.Math.floorMod(rowHash, spread(section)(range))
}

object FileAssignment {

  /**
   * @param parallelism
   *   number of tasks that run at once; small sections are not packed into fewer tasks than keep them busy
   */
  def of(plan: LayoutPlan, parallelism: Int): FileAssignment =
    pack(plan, math.min(plan.targetFileBytes, math.max(1L, plan.bytes / (parallelism.toLong * TasksPerCore))))

  /** One task for each file, in the order of sections and ranges. */
  def unpacked(plan: LayoutPlan): FileAssignment = pack(plan, 0L)

  /** Single files of up to `packed` bytes share a task. */
  private def pack(plan: LayoutPlan, packed: Long): FileAssignment = {
    var next = 0
    var open =
      Option.empty[(Int, Long, Int)] // a task of small sections, its bytes so far, the table partition of the last
    val firstTask = plan.sections.map { p =>
      if (p.files == 1) {
        // Two sections of a partition in one task would become one file.
        val fits = open.filter { case (_, bytes, last) => bytes + p.bytes <= packed && last != p.partition }
        val (task, bytes, _) = fits.getOrElse { next += 1; (next - 1, 0L, p.partition) }
        open = Some((task, bytes + p.bytes, p.partition))
        Array(task)
      } else {
        val first = p.ranges.map(_.files).scanLeft(next)(_ + _)
        next = first.last
        first.init.toArray
      }
    }
    new FileAssignment(
      plan.sections.map(_.ranges.map(_.start).toArray).toArray,
      plan.sections.map(_.ranges.map(_.files).toArray).toArray,
      firstTask.toArray,
      math.max(next, 1)
    )
  }

  // Enough that one slow task does not leave the other cores idle at the end.
  private val TasksPerCore = 4
}
