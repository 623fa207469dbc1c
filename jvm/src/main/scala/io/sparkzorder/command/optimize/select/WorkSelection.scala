package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.DataFile

/** Decides for each partition which of its files to rewrite. */
private[command] trait WorkSelection {

  /**
   * @param partitions
   *   the files of each partition
   * @return
   *   what to do, for the partitions that need something done
   */
  def select(partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[PartitionWork]
}

private[command] object WorkSelection {

  /** Everything is rewritten. */
  object Full extends WorkSelection {
    override def select(partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[PartitionWork] =
      partitions.map(PartitionWork.full(_))
  }

  /** The files of each partition, in the order of their paths. */
  def byPartition(files: IndexedSeq[DataFile]): IndexedSeq[IndexedSeq[DataFile]] =
    files.groupBy(_.partition).values.toIndexedSeq.sortBy(_.head.path)
}
