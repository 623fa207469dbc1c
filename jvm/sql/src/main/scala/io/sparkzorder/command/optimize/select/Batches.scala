// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.format.{BatchedRun, DataFile}

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The commits of a run, one for each batch of partitions.
 *
 * @param before
 *   number of batches that the run had committed when it was interrupted
 * @param partitions
 *   the partitions of each batch that is left
 * @param isRecorded
 *   whether the table records that the run is under way
 */
private[command] final case class Batches(
    run: BatchedRun,
    before: Int,
    partitions: IndexedSeq[Set[InternalRow]],
    isRecorded: Boolean) {

  /** The number of the last commit among all of the run, from 1. */
  def last: Int = before + partitions.size

  /** What to record along with the commit of this number; nothing of a run that has only one. */
  def mark(number: Int): Option[BatchedRun.Mark] =
    if (!isRecorded || last == 1) None else Some(BatchedRun.Mark(run, finished = number == last))
}

private[command] object Batches {

  type Partitions = IndexedSeq[IndexedSeq[DataFile]]

  /** All partitions, without a record. */
  def all(statement: String, partitions: Partitions, mostBytes: Option[Long]): Batches =
    Batches(BatchedRun.begin(statement), 0, divide(partitions, mostBytes), isRecorded = false)

  /**
   * The partitions that `open`, an interrupted run of the same statement, has left; all of them where there is none, or
   * where it has nothing to do with these.
   */
  def continuing(
      statement: String,
      partitions: Partitions,
      mostBytes: Option[Long],
      open: Option[BatchedRun]): Batches = {
    val found = open.flatMap { run =>
      val (done, left) = partitions.partition(_.forall(_.clustering.exists(_.run == run.id)))
      val before = done.flatten.flatMap(_.clustering).map(_.batch).maxOption
      before.filter(_ => left.nonEmpty).map(Batches(run, _, divide(left, mostBytes), isRecorded = true))
    }
    found.getOrElse(all(statement, partitions, mostBytes).copy(isRecorded = true))
  }

  /** Partitions in batches of about as many bytes as asked for; all in one where nobody asks. */
  private def divide(partitions: Partitions, mostBytes: Option[Long]): IndexedSeq[Set[InternalRow]] = {
    val most = mostBytes.getOrElse(Long.MaxValue)
    val batches = partitions.foldLeft(List.empty[(Long, Set[InternalRow])]) { (batches, files) =>
      val (bytes, partition) = (files.map(_.bytes).sum, files.head.partition)
      batches match {
        case (sum, of) :: before if sum + bytes <= most => (sum + bytes, of + partition) :: before
        case _ => (bytes, Set(partition)) :: batches
      }
    }
    batches.map(_._2).reverse.toIndexedSeq
  }
}
