// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.PartitionAdvice
import io.sparkzorder.command.optimize.select.RewriteGroup
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.sampling.JointSample

import org.apache.spark.sql.{Row, SparkSession}

/**
 * The row that OPTIMIZE returns.
 *
 * @param considered
 *   the files among which the statement chose
 * @param started
 *   time at which the statement began, in milliseconds since 1970
 * @param dryRun
 *   whether the results are estimates
 * @param undo
 *   how the run can be taken back, where this is to be said
 */
private[command] class OptimizeReport(
    snapshot: TableSnapshot,
    columns: Seq[ZOrderColumn],
    considered: IndexedSeq[DataFile],
    started: Long,
    dryRun: Boolean,
    undo: Option[String] = None) {

  /**
   * @param results
   *   the outcome of each commit; none where there was nothing to do
   * @param noGain
   *   why no query reads less than before, if that was clear from the start
   * @param nothingDone
   *   why nothing was done
   */
  def row(
      session: SparkSession,
      results: IndexedSeq[CommitResult],
      noGain: Option[String],
      nothingDone: => String): Row = {
    val groups = results.flatMap(_.groups)
    val layout = if (groups.isEmpty) Seq.empty else gains(results, groups)
    val done = metrics(session, results, groups)
    val summary =
      if (groups.isEmpty) nothingDone
      else summarized(layout, results, groups, done.endTimeMs - started, noGain) + undo.fold("")(". " + _)
    Row(snapshot.path, done, layout, summary)
  }

  private def summarized(
      gains: Seq[LayoutGain],
      results: IndexedSeq[CommitResult],
      groups: IndexedSeq[RewriteGroup],
      millis: Long,
      noGain: Option[String]): String = {
    val kept = groups.flatMap(_.kept).map(_.bytes)
    def extent(of: IndexedSeq[Long]) = RunSummary.Extent((kept ++ of).size, (kept ++ of).sum)
    RunSummary.of(
      gains,
      extent(groups.flatMap(_.rewritten).map(_.bytes)),
      extent(results.flatMap(_.after.fileBytes)),
      if (dryRun) None else Some(millis),
      noGain,
      name => columns.find(_.toString == name).flatMap(partitionBy)
    )
  }

  /** Of a time only: how many values other columns have is not known here. */
  private def partitionBy(column: ZOrderColumn): Option[String] = {
    val known = considered.map(_.readerStatistics(column.path, column.dataType))
    val values = known.flatMap(s => Seq(s.min, s.max)).filter(_ != null)
    val range =
      if (values.isEmpty) None
      else {
        val sorted = values.sortBy(column.keyType.key)(column.keyType.ordering)
        Some((sorted.head, sorted.last))
      }
    if (snapshot.partitionSchema.nonEmpty) None
    else PartitionAdvice.of(column.toString, column.dataType, considered.map(_.liveBytes).sum, distinct = None, range)
  }

  private def gains(results: IndexedSeq[CommitResult], groups: IndexedSeq[RewriteGroup]): Seq[LayoutGain] = {
    val kept = groups.flatMap(_.kept)
    columns.indices.map { i =>
      def ranges(files: IndexedSeq[DataFile]) = DataFile.ranges(files, columns(i))
      val before = ranges(kept ++ groups.flatMap(_.rewritten))
      val after = results.map(_.after.ranges(i)).foldLeft(ranges(kept))(_ ++ _)
      def values = results.iterator.flatMap(_.sample.values(i))
      LayoutGain(
        columns(i).toString,
        before.readShare(values),
        after.readShare(values),
        before.averageDepth,
        after.averageDepth)
    }
  }

  private def metrics(
      session: SparkSession,
      results: IndexedSeq[CommitResult],
      groups: IndexedSeq[RewriteGroup]): OptimizeMetrics = {
    val read = groups.flatMap(_.rewritten)
    // Of a file whose rows go to several partitions each has a part.
    def files(of: IndexedSeq[DataFile]) = of.map(_.path).distinct.size
    val (all, gone) = (files(considered), files(read))
    val writtenBytes = results.flatMap(_.after.fileBytes)
    val withDeleted = read.filter(_.deletedRows > 0)
    OptimizeMetrics(
      numFilesAdded = writtenBytes.size,
      numFilesRemoved = gone,
      filesAdded = FileSizeMetrics.of(writtenBytes),
      filesRemoved = FileSizeMetrics.of(read.map(_.bytes)),
      partitionsOptimized = groups.size,
      zOrderStats = if (columns.isEmpty) None else Some(zOrderStats(read, groups)),
      numBins = groups.map(group => math.max(1, group.bins.size)).sum,
      numBatches = results.size,
      totalConsideredFiles = all,
      totalFilesSkipped = math.max(0, all - gone),
      startTimeMs = started,
      endTimeMs = System.currentTimeMillis(),
      totalClusterParallelism = session.sparkContext.defaultParallelism,
      deletionVectorStats =
        if (withDeleted.isEmpty) None
        else Some(DeletionVectorStats(withDeleted.size, withDeleted.map(_.deletedRows).sum)),
      numTableColumns = snapshot.schema.size,
      numTableColumnsWithStats = snapshot.columnsWithStatistics.map(_.parts.head).distinct.size
    )
  }

  private def zOrderStats(read: IndexedSeq[DataFile], groups: IndexedSeq[RewriteGroup]): ZOrderStats = {
    def stats(files: IndexedSeq[DataFile]) = ZOrderFileStats(files.size, files.map(_.bytes).sum)
    // Where everything is rewritten Delta counts no file as one of a cube, whatever it was.
    val kept = groups.flatMap(_.kept)
    val strategy = if (kept.isEmpty) "all" else "incremental"
    ZOrderStats(
      (strategy +: groups.flatMap(_.note)).mkString("; "),
      stats(kept),
      stats(read),
      0,
      stats(read),
      groups.size)
  }
}

/**
 * The outcome of one commit of a statement, or a dry run's estimate of it.
 *
 * @param groups
 *   the rewrite groups of the partitions that it changed
 * @param after
 *   the files that it left there instead of those rewritten
 */
private[command] final case class CommitResult(
    groups: IndexedSeq[RewriteGroup],
    sample: JointSample,
    after: LayoutAfter)
