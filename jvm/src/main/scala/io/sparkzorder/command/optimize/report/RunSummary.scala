// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.report

import io.sparkzorder.command.Figures
import io.sparkzorder.metrics.LayoutGain

/** Tells in a line for the user what an OPTIMIZE was worth. */
private[command] object RunSummary {

  /** Files, those that were left where they are among them, by their sizes in bytes. */
  final case class Extent(files: Int, bytes: Long)

  /**
   * As in `user_id 100 % -> 25 %, ts 100 % -> 31 % of files per point lookup; 48 -> 64 files; 814 -> 760 MB; 24 s`.
   *
   * @param gains
   *   of each column
   * @param before
   *   the files of the partitions that were rewritten
   * @param after
   *   what is there in their place
   * @param millis
   *   time that the statement took; None of a dry run, which takes another
   */
  def of(gains: Seq[LayoutGain], before: Extent, after: Extent, millis: Option[Long]): String = {
    val lookups = for {
      gain <- gains
      from <- gain.point_read_share_before
      to <- gain.point_read_share_after
    } yield s"${gain.column} ${Figures.percent(from)} -> ${Figures.percent(to)}"
    val parts = Seq(
      if (lookups.isEmpty) None else Some(s"${lookups.mkString(", ")} of files per point lookup"),
      Some(s"${before.files} -> ${after.files} files"),
      Some(Figures.change(before.bytes, after.bytes)),
      millis.map(Figures.time)
    )
    val text = parts.flatten.mkString("; ")
    if (millis.isDefined) text else s"dry run, nothing was changed: $text"
  }
}
