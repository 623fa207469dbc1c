// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.simulate.{KnownFiles, LayoutSimulator, ScansToRead, WorkloadRead}
import io.sparkzorder.layout.FileCuts

import org.apache.spark.sql.types.DataType

/**
 * Tries layouts on the sample: what the workload would read of each.
 *
 * Where many layouts are compared, fewer rows and scans will do than where one is judged; both are bounded by the number
 * of files, so that a trial takes about as long for a large table as for a small one.
 *
 * @param recordedBounds
 *   see [[LayoutSimulator]]
 */
private[advise] final class LayoutTrials(
    input: AdviceInput,
    scans: ScansToRead,
    recordedBounds: (Any, Any, DataType) => (Any, Any)) {
  import LayoutTrials._

  private val simulators = scala.collection.mutable.Map.empty[Int, LayoutSimulator]

  private def simulator(rows: Int): LayoutSimulator = {
    val size = math.min(rows, input.sample.rows)
    simulators.getOrElseUpdate(size, new LayoutSimulator(input.sample.thinned(size), input.work, recordedBounds))
  }

  /** The most files of which the sample tells the ranges. */
  val mostFiles: Int = math.max(1, input.sample.rows / FewestRows)

  /** What the workload reads, for comparisons of many layouts. */
  def compared(columns: Seq[Int], curve: String, targetFileBytes: Long): WorkloadRead =
    read(columns, curve, targetFileBytes, RowsToCompare, AnswersToCompare)._2

  /** The files of a layout, and what the workload reads of them. */
  def judged(columns: Seq[Int], curve: String, targetFileBytes: Long): (KnownFiles, WorkloadRead) =
    read(columns, curve, targetFileBytes, RowsToJudge, AnswersToJudge)

  private def read(
      columns: Seq[Int],
      curve: String,
      targetFileBytes: Long,
      rowsOfAFile: Int,
      answers: Int): (KnownFiles, WorkloadRead) = {
    // Of files of a few rows the sample knows nothing: larger ones stand in for them.
    val target = math.max(targetFileBytes, input.bytes / mostFiles)
    val count = FileCuts.files(input.bytes.toDouble, target)
    val rows = math.max(FewestRowsOfAll, math.min(count.toLong * rowsOfAFile, Int.MaxValue.toLong).toInt)
    val files = simulator(rows).files(columns, curve, target)
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

  /** Files of a layout at which sets of columns are compared first. */
  val FilesToCompare = 512
}
