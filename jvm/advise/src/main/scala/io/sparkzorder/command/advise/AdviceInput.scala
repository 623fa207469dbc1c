// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.{ColumnPath, ZOrderColumn}
import io.sparkzorder.command.advise.workload.{AdvisedTable, QueryWorkload, RecordedWorkload, WeightedFilters, Workload}
import io.sparkzorder.command.optimize.select.{FileSelection, RewriteGroup}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableSnapshot, DataFile, StoredValues, TableSnapshot}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes

/**
 * All from which advice is given.
 *
 * @param groups
 *   what OPTIMIZE would rewrite, one element for each partition
 * @param sample
 *   the rows, with the columns among which to choose first, and then other columns that filters name
 * @param columns
 *   numbers of the columns of the sample among which to choose
 * @param scans
 *   the workload, with all its values
 * @param notes
 *   what was left out, for the user
 */
private[advise] final case class AdviceInput(
    snapshot: TableSnapshot,
    files: IndexedSeq[DataFile],
    groups: IndexedSeq[RewriteGroup],
    sample: TableSample,
    columns: Seq[Int],
    scans: Seq[WeightedFilters],
    notes: Seq[String]) {

  val partitions: IndexedSeq[InternalRow] = groups.map(_.partition)

  val bytes: Long = files.map(_.liveBytes).sum

  override def toString: String =
    s"${files.size} files, ${scans.size} scans, ${sample.rows} rows of ${sample.columns.map(_.column).mkString(", ")}"
}

private[advise] object AdviceInput {

  /** As many as a sample on the driver has room for. */
  private val MostCandidates = 64

  /**
   * Lists the files, plans the queries of the workload, and draws the sample.
   *
   * @throws ZOrderAnalysisException
   *   where there is nothing to choose from
   */
  def of(session: SparkSession, command: AdviseLayoutCommand): AdviceInput = {
    val table = command.table
    def nothing(reason: String) = ZOrderErrors.nothingToAdvise(table.name, reason)
    val reading = StoredValues.session(session, table)
    val snapshot = reading.withActive(table.snapshot(reading))
    val named = command.columns.map(_.in(snapshot.schema).getOrElse(throw ZOrderErrors.tableChanged(table.name)))
    snapshot match {
      case own: ClusterableSnapshot => own.requireOptimizable(named.map(_.path))
      case _ =>
    }
    val files = snapshot.filesOfPartitions(command.predicate)
    if (files.isEmpty)
      throw nothing(if (command.predicate.isEmpty) "it has no files" else "no file of it matches the condition")
    val groups = FileSelection.Full.select(FileSelection.byPartition(files))
    val workload = workloadOf(session, command, snapshot)

    val withStatistics = snapshot.columnsWithStatistics.flatMap(ZOrderColumn.of(_, snapshot.schema))
    val filtered = workload.map(_.columns.flatMap(path => withStatistics.find(_.path == path)))
    val (asked, unusable) = named.partition(c => withStatistics.exists(_.path == c.path))
    val possible = if (named.nonEmpty) asked else filtered.getOrElse(withStatistics)
    if (possible.isEmpty) throw nothing(noColumn(ofWorkload = workload.isDefined && named.isEmpty))
    val candidates = possible.take(MostCandidates)

    val sampled = (candidates ++ filtered.toSeq.flatten).distinctBy(_.path).take(2 * MostCandidates).toIndexedSeq
    val sample = reading.withActive(TableSampler.draw(reading, snapshot, files, sampled, groups.map(_.partition)))
    if (sample.rows == 0) throw nothing("it has no rows")
    val (constant, varying) = candidates.indices.partition(isConstant(sample, _))
    if (varying.isEmpty) throw nothing(s"all rows have the same value of ${constant.map(candidates(_)).mkString(", ")}")
    def lookups = varying.map(c => DrawnValues.lookup(sample.columns(c), toAttributes(snapshot.schema)))
    val drawn = new DrawnValues(sample.columns ++ partitionColumns(snapshot, sample, groups))
    AdviceInput(
      snapshot,
      files,
      groups,
      sample,
      varying,
      drawn.sampled(workload.fold[Seq[WeightedFilters]](lookups)(_.scans)),
      workload.toSeq.flatMap(_.notes) ++ notes(command, unusable, constant.map(candidates(_)), possible.size)
    )
  }

  private def noColumn(ofWorkload: Boolean): String =
    if (ofWorkload) "no filter of the workload is on a column by whose statistics files can be skipped"
    else "there is no column by whose statistics files can be skipped"

  /** What is said of columns that are left out, and of a format that OPTIMIZE does not know. */
  private def notes(
      command: AdviseLayoutCommand,
      unusable: Seq[ZOrderColumn],
      constant: Seq[ZOrderColumn],
      possible: Int): Seq[String] =
    unusable.map(c => s"$c has no statistics by which queries skip files, and is left out") ++
      constant.map(c => s"$c has the same value in all sampled rows, and is left out") ++
      Option.when(command.foreign.isDefined)(
        "OPTIMIZE does not rewrite tables of this format; shares are by the footers of its Parquet files") ++
      Option.when(possible > MostCandidates)(
        s"of $possible columns the first $MostCandidates were tried; ON chooses others")

  /** The workload that the statement names, if any. */
  private def workloadOf(
      session: SparkSession,
      command: AdviseLayoutCommand,
      snapshot: TableSnapshot): Option[Workload] = {
    val table = AdvisedTable(command.table.name, Some(snapshot.path).filter(_.nonEmpty).map(new Path(_)))
    val queries =
      Option.when(command.queries.nonEmpty)(QueryWorkload.of(session, command.queries, table, snapshot.schema))
    val recorded = command.options.recording.map(RecordedWorkload.of(session, _, table, snapshot.schema))
    (queries ++ recorded).reduceOption(_ ++ _)
  }

  /** The columns of partitions, as if they were sampled. */
  private def partitionColumns(
      snapshot: TableSnapshot,
      sample: TableSample,
      groups: IndexedSeq[RewriteGroup]): Seq[SampledColumn] = for {
    (field, i) <- snapshot.partitionSchema.zipWithIndex
    column <- ZOrderColumn.of(ColumnPath(Seq(field.name)), snapshot.partitionSchema)
  } yield new SampledColumn(column, sample.sections.map(s => groups(s).partition.get(i, field.dataType)))

  private def isConstant(sample: TableSample, number: Int): Boolean = {
    val column = sample.columns(number)
    column.distinct == 0 || (column.distinct == 1 && column.size == sample.rows)
  }
}
