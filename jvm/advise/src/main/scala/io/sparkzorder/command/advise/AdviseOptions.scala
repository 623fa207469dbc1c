// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.optimize.OptimizeOptions
import io.sparkzorder.config.TargetFileSize
import io.sparkzorder.errors.ZOrderErrors

/**
 * The OPTIONS of ADVISE LAYOUT, checked. What OPTIMIZE has too means the same, and is then no question any more.
 *
 * @param recording
 *   a folder of recorded queries
 * @param curve
 *   name of the curve
 * @param targetFileSize
 *   size of a file
 */
final case class AdviseOptions(
    recording: Option[String] = None,
    curve: Option[String] = None,
    targetFileSize: Option[TargetFileSize] = None)

object AdviseOptions {

  private val Recording = "recording"
  private val EventLog = "event_log"
  private val ofOptimize = Seq("curve", "target_file_size")

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): AdviseOptions = {
    val allowed = Recording +: ofOptimize
    options.get(EventLog).foreach(log => throw ZOrderErrors.recording(log, "it is to be an event log of Spark's"))
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    options.get(Recording).filter(_.trim.isEmpty).foreach { empty =>
      throw ZOrderErrors.invalidOption(statement, Recording, empty, "the path of a folder with recorded queries")
    }
    val shared = OptimizeOptions.parse(options.filter { case (key, _) => ofOptimize.contains(key) }, statement)
    AdviseOptions(options.get(Recording), shared.curve, shared.targetFileSize)
  }
}
