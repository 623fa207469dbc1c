// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.advise.simulate.TableSample
import io.sparkzorder.command.advise.workload.{EventLogWorkload, QueryWorkload, ScanFilters, Workload}
import io.sparkzorder.command.optimize.select.{FileSelection, RewriteGroup}
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.{ClusterableSnapshot, DataFile, TableSnapshot}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes

/**
 * All from which advice is given: the files, the workload, the columns that come into question, and a sample of them.
 *
 * @throws ZOrderAnalysisException
 *   where there is nothing to choose from
 */
private[advise] final class AdviceInput(session: SparkSession, command: AdviseLayoutCommand) {
  import AdviceInput._
  import command.table

  val snapshot: TableSnapshot = table.snapshot(session)

  private val named = command.columns.map(_.in(snapshot.schema).getOrElse(throw ZOrderErrors.tableChanged(table.name)))

  snapshot match {
    case own: ClusterableSnapshot => own.requireOptimizable(named.map(_.path))
    case _ =>
  }

  val files: IndexedSeq[DataFile] = snapshot.files(command.predicate)

  if (files.isEmpty)
    throw nothing(if (command.predicate.isEmpty) "it has no files" else "no file of it matches the condition")

  /** What OPTIMIZE would rewrite, one element for each partition. */
  val work: IndexedSeq[RewriteGroup] = FileSelection.Full.select(FileSelection.byPartition(files))

  val partitions: IndexedSeq[InternalRow] = work.map(_.partition)

  val bytes: Long = files.map(_.liveBytes).sum

  private val withStatistics = snapshot.columnsWithStatistics.flatMap(ZOrderColumn.of(_, snapshot.schema))

  /** The workload that the statement names, if any. */
  private val given: Option[Workload] = {
    val folder = Some(snapshot.path).filter(_.nonEmpty).map(new Path(_))
    val queries =
      if (command.queries.isEmpty) None
      else Some(QueryWorkload.of(session, command.queries, table.name, folder, snapshot.schema))
    val log = command.options.eventLog.map(EventLogWorkload.of(session, _, table.name, folder, snapshot.schema))
    Seq(queries, log).flatten.reduceOption(_ ++ _)
  }

  private val filtered: Seq[ZOrderColumn] =
    given.toSeq.flatMap(_.columns).flatMap(path => withStatistics.find(_.path == path))

  private val (asked, unusable) = named.partition(c => withStatistics.exists(_.path == c.path))

  private val possible: Seq[ZOrderColumn] =
    if (named.nonEmpty) asked else if (given.isDefined) filtered else withStatistics

  if (possible.isEmpty)
    throw nothing(
      if (given.isDefined && named.isEmpty)
        "no filter of the workload is on a column by whose statistics files can be skipped"
      else "there is no column by whose statistics files can be skipped")

  private val candidates = possible.take(MostCandidates)

  /** The rows, with the candidates first and then other columns that filters name. */
  val sample: TableSample = {
    val columns = (candidates ++ filtered).distinctBy(_.path).take(2 * MostCandidates).toIndexedSeq
    TableSampler.draw(session, snapshot, files, columns, partitions)
  }

  if (sample.rows == 0) throw nothing("it has no rows")

  private val (constant, varying) = candidates.indices.partition(c => isConstant(c))

  /** Numbers of the columns of the sample among which to choose. */
  val columns: Seq[Int] = varying

  if (columns.isEmpty)
    throw nothing(s"all rows have the same value of ${constant.map(candidates(_)).mkString(", ")}")

  /** The workload, or lookups of the columns where there is none. */
  val scans: Seq[ScanFilters] =
    given.fold(PointLookups.of(columns.map(sample.columns(_)), toAttributes(snapshot.schema)))(_.scans)

  /** What was left out, for the user. */
  val notes: Seq[String] = given.toSeq.flatMap(_.notes) ++
    unusable.map(c => s"$c has no statistics by which queries skip files, and is left out") ++
    constant.map(c => s"${candidates(c)} has the same value in all sampled rows, and is left out") ++
    (if (command.foreign.isEmpty) None
     else Some("OPTIMIZE does not rewrite tables of this format; shares are by the footers of its Parquet files")) ++
    (if (possible.size <= MostCandidates) None
     else Some(s"of ${possible.size} columns the first $MostCandidates were tried; ON chooses others"))

  private def isConstant(number: Int): Boolean = {
    val column = sample.columns(number)
    column.distinct == 0 || (column.distinct == 1 && column.size == sample.rows)
  }

  private def nothing(reason: String): ZOrderAnalysisException = ZOrderErrors.nothingToAdvise(table.name, reason)
}

private object AdviceInput {

  /** As many as a sample on the driver has room for. */
  private val MostCandidates = 64
}
