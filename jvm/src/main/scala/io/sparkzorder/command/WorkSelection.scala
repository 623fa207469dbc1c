package io.sparkzorder.command

import io.sparkzorder.format.DataFile

import org.apache.spark.sql.catalyst.InternalRow

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

  /**
   * The statement of several commits, by these columns and this curve, that something ended before its last commit, and of
   * which most is left.
   */
  def unfinished(
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      columns: Seq[Seq[String]],
      curve: String): Option[UnfinishedRun] = {
    val clusterings = partitions.flatMap(_.flatMap(_.clustering)).filter(_.matches(columns, curve))
    // The highest batch came last, so it knew best how many there were to be.
    val open = clusterings.groupBy(_.run).view.mapValues(_.maxBy(_.batch)).filter(c => c._2.batch < c._2.batches)
    val found = open.map { case (run, last) =>
      val done = partitions.filter(_.forall(_.clustering.exists(c => c.run == run && c.matches(columns, curve))))
      UnfinishedRun(run, last.batch, done.map(_.head.partition).toSet)
    }
    found.filter(_.done.nonEmpty).maxByOption(r => (r.done.size, r.run))
  }

  /**
   * @param batch
   *   the number of its last commit
   * @param done
   *   partitions all of whose files it wrote
   */
  final case class UnfinishedRun(run: String, batch: Int, done: Set[InternalRow])
}
