package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.incremental.Division

import org.apache.spark.sql.catalyst.InternalRow

/**
 * What a run does with one table partition.
 *
 * @param rewritten
 *   the files to rewrite, one or more
 * @param kept
 *   the others, which stay as they are
 * @param division
 *   how rows are divided between the sections that are laid out on their own
 * @param note
 *   what the user should know of it
 */
private[command] final case class PartitionWork(
    rewritten: IndexedSeq[DataFile],
    kept: IndexedSeq[DataFile],
    division: Division,
    note: Option[String]) {

  def name: String = rewritten.head.partitionName

  def partition: InternalRow = rewritten.head.partition

  def bytes: Long = rewritten.map(_.bytes).sum
}

private[command] object PartitionWork {

  /** All files of a partition, as one. */
  def full(files: IndexedSeq[DataFile], note: Option[String] = None): PartitionWork =
    PartitionWork(files, IndexedSeq.empty, Division.whole, note)
}
