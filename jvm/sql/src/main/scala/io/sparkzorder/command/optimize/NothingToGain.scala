// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.HumanReadable
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.layout.FileCuts
import io.sparkzorder.layout.measure.ColumnRange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.toPrettySQL

/** Explains in a line for the user why no query can skip a file of the layout that a full OPTIMIZE would give. */
private[command] object NothingToGain {

  /**
   * @param partitions
   *   the files of each partition
   * @param targetBytes
   *   the size of the files of a partition to aim at
   * @return
   *   None where queries may skip files, as far as the files' metadata show
   */
  def reason(
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      columns: Seq[ZOrderColumn],
      targetBytes: InternalRow => Long): Option[String] =
    if (partitions.isEmpty) None
    else ofSizes(partitions, columns.size, targetBytes).orElse(ofValues(partitions, columns))

  /** Of a run that has left the files as they were. */
  def unchanged(reason: String): String =
    s"Nothing to gain by skipping, and nothing was changed: $reason. OPTIONS (force = true) rewrites the files all the same, " +
      "into fewer where they are many."

  private def ofSizes(
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      columns: Int,
      targetBytes: InternalRow => Long): Option[String] = {
    val bytes = partitions.map(_.map(_.liveBytes).sum)
    val targets = partitions.map(files => targetBytes(files.head.partition))
    if (!bytes.zip(targets).forall { case (size, target) => FileCuts.files(size.toDouble, target) == 1 }) None
    else {
      val size = HumanReadable.bytes(targets.max)
      val fit =
        if (partitions.head.head.partitionName.isEmpty)
          s"all rows fit in one file of $size, so that no query can skip any"
        else s"the rows of each partition fit in one file of $size, so that no query of a partition can skip any"
      // As many files as the automatic size would aim at.
      val smaller = bytes.max >> 2 * math.min(columns, MostColumns)
      val remedy =
        if (smaller < SmallestWorthNaming) ""
        else s" (OPTIONS (target_file_size = '${smaller / 1000}k') makes more of them)"
      Some(fit + remedy)
    }
  }

  private def ofValues(partitions: IndexedSeq[IndexedSeq[DataFile]], columns: Seq[ZOrderColumn]): Option[String] = {
    val files = partitions.flatten
    val found = columns.map(column => sameness(files, column).map(same => s"$column has $same"))
    if (found.forall(_.isDefined)) Some(s"${found.flatten.mkString(", ")}, and no query can skip files by that")
    else None
  }

  /** What all values of a column have in common, where they are one. */
  private def sameness(files: IndexedSeq[DataFile], column: ZOrderColumn): Option[String] = {
    val ranges = files.map(_.range(column))
    val order = column.keyType.ordering
    def withoutNull = files.forall(_.statistics(column.path).nullCount.contains(0L))
    ranges.head match {
      case ColumnRange.NoValue if ranges.forall(_ == ColumnRange.NoValue) => Some("no value but NULL")
      case ColumnRange.Within(value, _) if withoutNull && ranges.forall {
            case ColumnRange.Within(low, high) => order.equiv(low, value) && order.equiv(high, value)
            case _ => false
          } =>
        Some("the same value in every row")
      case _ => None
    }
  }

  // With more columns files would be too small to be worth a name.
  private val MostColumns = 2

  // In bytes: smaller files are for tests and examples.
  private val SmallestWorthNaming = 100000L
}

/** Explains in a line for the user why an OPTIMIZE changes nothing. */
private[command] object NothingToDo {

  /**
   * @param curve
   *   the name of the curve
   * @param considered
   *   the files among which the statement chose
   */
  def reason(
      snapshot: TableSnapshot,
      columns: Seq[ZOrderColumn],
      predicate: Option[Expression],
      curve: String,
      considered: IndexedSeq[DataFile]): String = {
    def clustered = {
      val by = s"(${columns.mkString(", ")}) along $curve"
      if (considered.forall(_.clustering.isDefined)) s"every file is clustered by $by, and there are no new files"
      else s"files are clustered by $by, and new ones add little to point lookups"
    }
    s"Nothing to do: ${if (considered.nonEmpty) clustered else nothingConsidered(snapshot, predicate)}."
  }

  /**
   * The same of a compaction.
   *
   * @param partitions
   *   the files of each partition
   */
  def toCompact(
      snapshot: TableSnapshot,
      predicate: Option[Expression],
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      targetBytes: InternalRow => Long): String =
    if (partitions.isEmpty) s"Nothing to do: ${nothingConsidered(snapshot, predicate)}."
    else {
      val size = HumanReadable.bytes(partitions.map(files => targetBytes(files.head.partition)).max)
      val kept = partitions.flatten.count(_.clustering.isDefined)
      val note =
        if (kept == 0) ""
        else s"; ${HumanReadable.count(kept, "file")} that OPTIMIZE ... ZORDER BY has clustered stay as they are"
      val place = if (partitions.head.head.partitionName.isEmpty) "" else "of a partition "
      s"Nothing to do: no two files ${place}fit together in one of $size$note."
    }

  private def nothingConsidered(snapshot: TableSnapshot, predicate: Option[Expression]): String = predicate match {
    case Some(condition) if snapshot.files(None).nonEmpty => s"no file matches ${toPrettySQL(condition)}"
    case _ => "the table has no files"
  }
}
