// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.incremental.Sections
import io.sparkzorder.sampling.GroupToPlan

import org.apache.spark.sql.catalyst.InternalRow

/** Decides for each partition which of its files to rewrite. */
private[command] trait FileSelection {

  /**
   * @param partitions
   *   the files of each partition
   * @return
   *   what to do, for the partitions that need something done
   */
  def select(partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[RewriteGroup]
}

private[command] object FileSelection {

  /** Everything is rewritten. */
  object Full extends FileSelection {
    override def select(partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[RewriteGroup] =
      partitions.map(RewriteGroup.full(_))
  }

  /** The files of each partition, in the order of their paths. */
  def byPartition(files: IndexedSeq[DataFile]): IndexedSeq[IndexedSeq[DataFile]] =
    files.groupBy(_.partition).values.toIndexedSeq.sortBy(_.head.path)

  /** The rows that a table's metadata promises; None where those of a file are not recorded. */
  def recordedRows(files: Iterable[DataFile]): Option[Long] = {
    val known = files.map(_.rows)
    if (known.forall(_.isDefined)) Some(known.flatten.sum) else None
  }
}

/**
 * What a run rewrites of one table partition, and what it keeps.
 *
 * @param rewritten
 *   the files to rewrite, one or more
 * @param kept
 *   the files of the partition that stay as they are
 * @param sections
 *   the sections of the rows, which are laid out on their own
 * @param note
 *   remark for the user, if any
 * @param bins
 *   the rewritten files of each new one, where rows keep the order of their files; none where a layout is planned
 */
private[command] final case class RewriteGroup(
    rewritten: IndexedSeq[DataFile],
    kept: IndexedSeq[DataFile],
    sections: Sections,
    note: Option[String],
    bins: IndexedSeq[IndexedSeq[DataFile]] = IndexedSeq.empty) {

  def name: String = rewritten.head.partitionName

  def partition: InternalRow = rewritten.head.partition

  def bytes: Long = rewritten.map(_.bytes).sum

  /** Its rows, to be laid out in files of about so many bytes. */
  def toPlan(targetFileBytes: Long): GroupToPlan =
    GroupToPlan(
      name,
      sections,
      rewritten.map(_.liveBytes).sum,
      rewritten.flatMap(_.rows).sum,
      areRowsKnown = rewritten.forall(_.rows.isDefined),
      targetFileBytes)
}

private[command] object RewriteGroup {

  /** All files of a partition, as one. */
  def full(files: IndexedSeq[DataFile], note: Option[String] = None): RewriteGroup =
    RewriteGroup(files, IndexedSeq.empty, Sections.whole, note)
}
