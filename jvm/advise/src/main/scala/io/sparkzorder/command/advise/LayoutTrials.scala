// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.optimize.select.RewriteGroup

import org.apache.spark.sql.types.DataType

/**
 * Tries layouts on the sample: what the workload would read of each.
 *
 * Where many layouts are compared, fewer rows and scans will do than where one is judged; both are bounded by the number
 * of files, so that a trial takes about as long for a large table as for a small one.
 *
 * @param targets
 *   the sizes of the files
 * @param recordedBounds
 *   see [[LayoutSimulator]]
 */
private[advise] final class LayoutTrials(
    input: AdviceInput,
    scans: ScansToRead,
    targets: TargetSizes,
    recordedBounds: (Any, Any, DataType) => (Any, Any)) {
  import LayoutTrials._

  private val simulators = scala.collection.mutable.Map.empty[Int, LayoutSimulator]

  private def simulator(rows: Int): LayoutSimulator = {
    val size = math.min(rows, input.sample.rows)
    simulators.getOrElseUpdate(size, new LayoutSimulator(input.sample.thinned(size), input.groups, recordedBounds))
  }

  /** The most files whose ranges a sample can show. */
  val mostFiles: Int = math.max(1, input.sample.rows / FewestRows)

  /** What the workload reads, for comparisons of many layouts. */
  def compared(columns: Seq[Int], curve: String): WorkloadRead =
    read(columns, curve, math.min(mostFiles, FilesToCompare), RowsToCompare, AnswersToCompare)._2

  /** The files of a layout, and what the workload reads of them. */
  def judged(columns: Seq[Int], curve: String): (SimulatedFiles, WorkloadRead) =
    read(columns, curve, mostFiles, RowsToJudge, AnswersToJudge)

  private def read(
      columns: Seq[Int],
      curve: String,
      most: Int,
      rowsOfAFile: Int,
      answers: Int): (SimulatedFiles, WorkloadRead) = {
    // Of files of a few rows the sample knows nothing: larger ones stand in for them.
    def target(group: RewriteGroup) = math.max(targets.bytesFor(group, columns.size), input.bytes / most)
    val count = math.min(targets.files(columns.size), most)
    val rows = math.max(FewestRowsOfAll, math.min(count.toLong * rowsOfAFile, Int.MaxValue.toLong).toInt)
    val files = simulator(rows).files(columns, curve, target(_))
    (files, scans.some(math.max(FewestScans, answers / math.max(1, files.size))).share(files))
  }
}

private[advise] object LayoutTrials {

  /** With fewer sampled rows a file's ranges would be guesses. */
  private val FewestRows = 20

  private val FewestRowsOfAll = 20000

  private val FewestScans = 100

  /** Sampled rows of a file, and answers of the pruner, where many layouts are compared. */
  private val RowsToCompare = 40
  private val AnswersToCompare = 100000

  /** The same where one is judged. */
  private val RowsToJudge = 500
  private val AnswersToJudge = 1000000

  /** The most files of a layout where many are compared. */
  private val FilesToCompare = 512
}
