// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.skipping.predicate.{ListedStatistics, SpreadFiles}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/** A file index of a scan, which leaves out of what `delegate` lists the files in which statistics exclude every row. */
trait ScanFileIndex extends FileIndex with SpreadFiles {

  /** The same files, none of them left out. */
  def delegate: FileIndex

  /** The statistics, as plans name them. */
  def statistics: String

  /** What mends statistics that cannot be used, as a sentence; None where nobody has to. */
  protected def remedy: Option[String] = None

  /** Whether files are left out at all. */
  def skips: Boolean

  /** Whether there are statistics of the files; asked while a query runs, never while it is planned. */
  def hasStatistics: Boolean

  // Statistics that cannot be read are none; the listing warns of them.
  override def tellsApart(keys: Seq[Expression], mayLoad: Boolean): Boolean =
    !mayLoad || (
      try hasStatistics
      catch { case ListedStatistics.Failure(_) => false }
    )

  /** Whether filters that have values when a query is planned leave out files, too; if not, `delegate` does that. */
  def prunesByFilters: Boolean

  /**
   * The same relation for one scan, which then finds its own figures in [[pruned]].
   *
   * @param lateFilters
   *   filters over subqueries, which have values only when the scan runs
   */
  def forScan(lateFilters: Seq[Expression]): ScanFileIndex

  @volatile private var lastPruned = PrunedFiles.none

  /** What the last listing left out. */
  def pruned: PrunedFiles = lastPruned

  /**
   * What is left of a listing, of which [[pruned]] then has the figures.
   *
   * @param prune
   *   the listing with what is left out of it, None where nothing is. If it fails, all files stay, with a warning.
   */
  private[skipping] def leftOf(listed: Seq[PartitionDirectory])(prune: => Option[Seq[PrunedDirectory]])
      : Seq[PartitionDirectory] = {
    val start = System.nanoTime()
    lastPruned = PrunedFiles.none
    try
      prune.fold(listed) { directories =>
        lastPruned = PrunedDirectory.figures(directories, System.nanoTime() - start)
        PrunedDirectory.read(directories, isPartitioned = partitionSchema.nonEmpty)
      }
    catch {
      case ListedStatistics.Failure(e) =>
        IndexWarnings.warn(statistics, rootPaths.take(1).mkString, None, remedy, e)
        listed
    }
  }

  override def rootPaths: Seq[Path] = delegate.rootPaths
  override def inputFiles: Array[String] = delegate.inputFiles
  override def refresh(): Unit = delegate.refresh()
  override def sizeInBytes: Long = delegate.sizeInBytes
  override def partitionSchema: StructType = delegate.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = delegate.metadataOpsTimeNs

  // To everything that compares plans, such as the reuse of exchanges, the same relation as `delegate`.
  override def equals(other: Any): Boolean = other match {
    case index: ScanFileIndex => getClass == index.getClass && delegate == index.delegate
    case _ => false
  }

  override def hashCode: Int = delegate.hashCode
}

/**
 * The files that a file index left out of a listing.
 *
 * @param byPartition
 *   of each partition, by its values, the number of files that were left out by filters, and by the keys of joins alone
 * @param nanos
 *   time that it took, the loading of the statistics included
 */
final case class PrunedFiles(byPartition: Seq[(InternalRow, PrunedFiles.Counts)], nanos: Long) {

  /** Files left out of the partitions that `read` accepts. */
  def count(read: InternalRow => Boolean): PrunedFiles.Counts =
    byPartition.iterator.collect { case (values, counts) if read(values) => counts }
      .foldLeft(PrunedFiles.Counts(0, 0))(_ + _)
}

object PrunedFiles {
  final case class Counts(byFilters: Long, byKeys: Long) {
    def +(other: Counts): Counts = Counts(byFilters + other.byFilters, byKeys + other.byKeys)
  }

  val none: PrunedFiles = PrunedFiles(Nil, 0)
}
