// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.optimize.OptimizeOptions
import io.sparkzorder.config.TargetFileSize
import io.sparkzorder.errors.ZOrderErrors

/**
 * The OPTIONS of ADVISE LAYOUT, checked. What OPTIMIZE has too means the same, and is then no question any more.
 *
 * @param eventLog
 *   an event log of Spark's, or a folder of such logs
 * @param curve
 *   name of the curve
 * @param targetFileSize
 *   size of a file
 */
final case class AdviseOptions(
    eventLog: Option[String] = None,
    curve: Option[String] = None,
    targetFileSize: Option[TargetFileSize] = None)

object AdviseOptions {

  private val EventLog = "event_log"
  private val ofOptimize = Seq("curve", "target_file_size")

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): AdviseOptions = {
    val allowed = EventLog +: ofOptimize
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    options.get(EventLog).filter(_.trim.isEmpty).foreach { empty =>
      throw ZOrderErrors.invalidOption(statement, EventLog, empty, "the path of an event log, or of a folder of logs")
    }
    val shared = OptimizeOptions.parse(options.filter { case (key, _) => ofOptimize.contains(key) }, statement)
    AdviseOptions(options.get(EventLog), shared.curve, shared.targetFileSize)
  }
}
