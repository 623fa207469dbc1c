// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

/**
 * Which task writes a row, given the number of its section and its curve position. A section is a table partition, or a
 * part of one that is laid out on its own.
 *
 * A task writes one file, or one file of each of several small sections; never two files of one table partition, and
 * never a file of several. Pure lookups in arrays, so a retried task sends every row where it sent it before.
 *
 * @param starts
 *   per section, the curve positions at which its ranges begin, the first 0
 * @param spread
 *   per section and range, the number of files that share its rows
 * @param firstTask
 *   per section and range, the number of the task that writes the first of these files
 * @param tasks
 *   number of tasks
 * @param isPacked
 *   whether a task writes files of several sections
 * @param mostTasksOfPartition
 *   number of tasks that write files of one table partition, of that with most
 */
final class FileAssignment private (
    starts: Array[Array[Long]],
    spread: Array[Array[Int]],
    firstTask: Array[Array[Int]],
    val tasks: Int,
    val isPacked: Boolean,
    val mostTasksOfPartition: Int)
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

  /** One task for each file, in the order of sections and ranges; of a file without bytes, too. */
  def unpacked(plan: LayoutPlan): FileAssignment = pack(plan, -1L)

  /** Single files of up to `packed` bytes share a task. */
  private def pack(plan: LayoutPlan, packed: Long): FileAssignment = {
    var next = 0
    // A task of small sections, its bytes so far, and the table partition of the last of them.
    var open = Option.empty[(Int, Long, Int)]
    val firstTask = plan.sections.map { section =>
      if (section.files == 1) {
        // Two sections of a partition in one task would become one file.
        val fits = open.filter { case (_, bytes, last) => bytes + section.bytes <= packed && last != section.partition }
        val (task, bytes, _) = fits.getOrElse { next += 1; (next - 1, 0L, section.partition) }
        open = Some((task, bytes + section.bytes, section.partition))
        Array(task)
      } else {
        val first = section.ranges.map(_.files).scanLeft(next)(_ + _)
        next = first.last
        first.init.toArray
      }
    }
    new FileAssignment(
      plan.sections.map(_.ranges.map(_.start).toArray).toArray,
      plan.sections.map(_.ranges.map(_.files).toArray).toArray,
      firstTask.toArray,
      math.max(next, 1),
      next < plan.files,
      plan.sections.groupMapReduce(_.partition)(_.files)(_ + _).values.maxOption.getOrElse(0)
    )
  }

  // Enough that one slow task does not leave the other cores idle at the end.
  private val TasksPerCore = 4
}
