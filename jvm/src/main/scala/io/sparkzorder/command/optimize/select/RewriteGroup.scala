package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.incremental.Sections

import org.apache.spark.sql.catalyst.InternalRow

/**
 * What a run does with one table partition.
 *
 * @param rewritten
 *   the files to rewrite, one or more
 * @param kept
 *   the files of the partition that stay as they are
 * @param division
 *   how rows are divided between the sections that are laid out on their own
 * @param note
 *   what the user should know of it
 */
private[command] final case class RewriteGroup(
    rewritten: IndexedSeq[DataFile],
    kept: IndexedSeq[DataFile],
    division: Sections,
    note: Option[String]) {

  def name: String = rewritten.head.partitionName

  def partition: InternalRow = rewritten.head.partition

  def bytes: Long = rewritten.map(_.bytes).sum
}

private[command] object RewriteGroup {

  /** All files of a partition, as one. */
  def full(files: IndexedSeq[DataFile], note: Option[String] = None): RewriteGroup =
    RewriteGroup(files, IndexedSeq.empty, Sections.whole, note)
}
