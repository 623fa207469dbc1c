// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.DataFile

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
