package io.sparkzorder.command

import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.key.KeyType
import io.sparkzorder.layout.FileRanges
import io.sparkzorder.metrics._
import io.sparkzorder.plan.ColumnPath
import io.sparkzorder.sampling.JointSample

import org.apache.spark.sql.{Row, SparkSession}

/**
 * The row that OPTIMIZE returns.
 *
 * @param read
 *   the files that the statement chose
 * @param started
 *   milliseconds since 1970
 */
private[command] class OptimizeReport(
    snapshot: TableSnapshot,
    columns: Seq[ColumnPath],
    read: IndexedSeq[DataFile],
    started: Long) {

  /** No file was chosen: nothing was written and nothing committed. */
  def nothingToDo(session: SparkSession): Row =
    Row(snapshot.path, metrics(session, IndexedSeq.empty, IndexedSeq.empty), Seq.empty)

  def done(
      session: SparkSession,
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      sample: JointSample,
      after: LayoutAfter): Row =
    Row(snapshot.path, metrics(session, partitions, after.fileBytes), gains(sample, after.ranges))

  private def gains(sample: JointSample, after: Seq[FileRanges]): Seq[LayoutGain] =
    columns.indices.map { i =>
      val before = OptimizeReport.ranges(read, columns(i), snapshot)
      LayoutGain(
        columns(i).toString,
        before.readShare(sample.values(i)),
        after(i).readShare(sample.values(i)),
        before.averageDepth,
        after(i).averageDepth)
    }

  private def metrics(
      session: SparkSession,
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      writtenBytes: IndexedSeq[Long]): OptimizeMetrics = {
    val input = ZOrderFileStats(read.size, read.map(_.bytes).sum)
    val withDeleted = read.filter(_.deletedRows > 0)
    OptimizeMetrics(
      numFilesAdded = writtenBytes.size,
      numFilesRemoved = read.size,
      filesAdded = FileSizeMetrics.of(writtenBytes),
      filesRemoved = FileSizeMetrics.of(read.map(_.bytes)),
      partitionsOptimized = partitions.size,
      zOrderStats = Some(ZOrderStats("all", ZOrderFileStats(0, 0), input, 0, input, partitions.size)),
      numBins = partitions.size,
      numBatches = if (partitions.isEmpty) 0 else 1,
      totalConsideredFiles = read.size,
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
}

private[command] object OptimizeReport {

  /** The ranges of a column in files. */
  def ranges(files: IndexedSeq[DataFile], column: ColumnPath, snapshot: TableSnapshot): FileRanges = {
    val keyType = KeyType.of(column.dataType(snapshot.schema)).get
    new FileRanges(files.map(_.statistics(column).range(keyType)), keyType.ordering)
  }
}
