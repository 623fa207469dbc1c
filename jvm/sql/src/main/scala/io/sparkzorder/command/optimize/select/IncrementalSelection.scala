// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.column.{ColumnPath, ZOrderColumn}
import io.sparkzorder.command.RunProgress
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.sampling.{JointSample, KeyedRows}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Leaves clustered files as they are as far as point lookups do not read much more for it.
 *
 * Samples the new files, in one job for all partitions, and reads nothing else. Reads nothing at all where there are no
 * new files.
 *
 * @param targetFileBytes
 *   the size of the files of a partition to aim at
 * @param areOrdered
 *   whether writers of the table are to put the rows of each new file into the order of the columns
 */
private[command] class IncrementalSelection(
    session: SparkSession,
    snapshot: TableSnapshot,
    columns: Seq[ZOrderColumn],
    curve: Curve,
    targetFileBytes: InternalRow => Long,
    areOrdered: Boolean,
    progress: RunProgress)
    extends FileSelection {
  import IncrementalSelection._

  private val storedColumns = columns.map(c => snapshot.storedNames(c.path))

  override def select(partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[RewriteGroup] = {
    val found = partitions.map(examine)
    val grown = found.collect { case Incremental(partition) => partition }
    val chosen = if (grown.isEmpty) Iterator.empty else choose(grown).iterator
    found.flatMap {
      case UpToDate => None
      case FullRewrite(group) => Some(group)
      case Incremental(_) => chosen.next()
    }
  }

  private def examine(files: IndexedSeq[DataFile]): Finding = {
    val (ours, unlike) = files.partition(_.clustering.exists(_.matches(storedColumns, curve.name)))
    val clusteredElse = unlike.flatMap(_.clustering).headOption
    val (clustered, worn) = ours.partition(_.deletedShare <= MaxDeleted)
    val newFiles = unlike ++ worn
    if (clusteredElse.isDefined) {
      val was = clusteredElse.get
      val place = if (files.head.partitionName.isEmpty) "" else s"${files.head.partitionName} "
      val names = was.columns.map(nameOf).mkString(", ")
      FullRewrite(RewriteGroup.full(files, Some(s"${place}in full, it was clustered by ($names) along ${was.curve}")))
    } else if (newFiles.isEmpty) UpToDate
    else if (clustered.isEmpty) FullRewrite(RewriteGroup.full(files))
    else Incremental(new PartitionWithNewFiles(columns, clustered, newFiles))
  }

  /** As users know the column that files store under some names, where the table still has it. */
  private def nameOf(stored: Seq[String]): String = ColumnPath
    .leaves(snapshot.schema)
    .find(column => snapshot.storedNames(column) == stored)
    .fold(stored.mkString("."))(_.toString)

  private def choose(grown: IndexedSeq[PartitionWithNewFiles]): IndexedSeq[Option[RewriteGroup]] = {
    val sample = draw(grown)
    val rowsOf = sample.sections.indices.groupBy(sample.sections(_))
    progress.phase("plan", RunProgress.PlanTime) {
      grown.zipWithIndex.map { case (partition, number) =>
        val rows = rowsOf.getOrElse(number, IndexedSeq.empty)
        val keys = sample.keys.map(of => rows.map(of(_)).toArray)
        partition.group(keys, curve, targetFileBytes(partition.newFiles.head.partition), areOrdered)
      }
    }
  }

  private def draw(grown: IndexedSeq[PartitionWithNewFiles]): JointSample = {
    val newFiles = grown.flatMap(_.newFiles)
    progress.phase("sample new files", RunProgress.SampleTime) {
      val data = snapshot.read(newFiles)
      val numbers = grown.map(_.newFiles.head.partition)
      // Files of an older partition spec have rows of other partitions, too.
      val rows = new KeyedRows(session, data, snapshot.partitionSchema, columns, numbers, others = Some(numbers.size))
      rows.sample(FileSelection.recordedRows(newFiles).getOrElse(data.count()), rows.partition)
    }
  }
}

private[command] object IncrementalSelection {

  private sealed trait Finding
  private case object UpToDate extends Finding
  private final case class FullRewrite(group: RewriteGroup) extends Finding
  private final case class Incremental(partition: PartitionWithNewFiles) extends Finding

  // Delta purges a file with more deleted rows than this share, too.
  private val MaxDeleted = 0.05
}
