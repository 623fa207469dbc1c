// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.format.parquet.log.DamagedRewrite.{Document, Verdict}

/**
 * A rewrite of which the log entry, the verdict or both cannot be read.
 *
 * @param ids
 *   ids that the rewrite may have, by whatever else names it; none where nothing does
 * @param entry
 *   the entry, where it can be read
 * @param isClosed
 *   whether nothing was left to do
 * @param documents
 *   what cannot be read
 */
private[parquet] final case class DamagedRewrite(
    log: String,
    number: Long,
    ids: Seq[String],
    entry: Option[LogEntry],
    verdict: Verdict,
    isClosed: Boolean,
    documents: Seq[Document]) {

  /** What names the rewrite. */
  def id: String = entry.map(_.id).orElse(ids.minOption).getOrElse("unknown")

  /** An entry that says nothing of files: everything is done by the time that it is written. */
  private[log] def emptyEntry(id: String, previous: Option[LogEntry.Link]): LogEntry =
    LogEntry(log, number, id, previous, Nil)
}

private[parquet] object DamagedRewrite {

  /**
   * @param name
   *   name of the file in the folder of the log
   * @param condition
   *   why it cannot be read
   */
  final case class Document(name: String, condition: String)

  sealed trait Verdict

  /** No process has given one. */
  case object NotGiven extends Verdict

  /** It is there and cannot be read. */
  case object Unreadable extends Verdict

  /** @param moved the folders that have their new files */
  final case class Given(moved: Set[String]) extends Verdict
}
