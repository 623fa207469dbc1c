// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.command.{HumanReadable, ReadsMore}

/** What an OPTIMIZE was worth, in a line for the user. */
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
   * @param noGain
   *   why no query can skip a file, where that was clear from the start
   * @param partitionBy
   *   what the table can be partitioned by in place of a column, if so
   */
  def of(
      gains: Seq[LayoutGain],
      before: Extent,
      after: Extent,
      millis: Option[Long],
      noGain: Option[String] = None,
      partitionBy: String => Option[String] = _ => None): String = {
    val lookups = for {
      gain <- gains
      from <- gain.point_read_share_before
      to <- gain.point_read_share_after
    } yield s"${gain.column} ${HumanReadable.percent(from)} -> ${HumanReadable.percent(to)}"
    val parts = Seq(
      if (lookups.isEmpty) None else Some(s"${lookups.mkString(", ")} of files per point lookup"),
      Some(s"${before.files} -> ${HumanReadable.count(after.files, "file")}"),
      Some(HumanReadable.change(before.bytes, after.bytes)),
      millis.map(HumanReadable.time),
      noGain.orElse(losses(gains, before, after, partitionBy))
    )
    val text = parts.flatten.mkString("; ")
    if (millis.isDefined) text else s"dry run, nothing was changed: $text"
  }

  /** Where lookups read clearly more than before, and what to do about it. */
  private def losses(
      gains: Seq[LayoutGain],
      before: Extent,
      after: Extent,
      partitionBy: String => Option[String]): Option[String] = {
    val worse = for {
      gain <- gains
      from <- gain.point_read_share_before
      to <- gain.point_read_share_after if ReadsMore.isClear(from, to)
    } yield gain.column -> ReadsMore.isInOrder(from * before.files, before.files)
    val (ordered, others) = worse.partition(_._2)
    if (ordered.nonEmpty)
      Some(s"lookups by ${ordered.map(_._1).mkString(", ")} read more than before, when files were in that order: " +
        ReadsMore.remedy(ordered.flatMap(gain => partitionBy(gain._1))))
    else if (others.nonEmpty) {
      val remedy =
        if (after.files < before.files) "a smaller target_file_size makes more files, so that they read less"
        else "z-order by fewer columns, or leave the files as they were"
      Some(s"lookups by ${others.map(_._1).mkString(", ")} read more than before: $remedy")
    } else None
  }
}
