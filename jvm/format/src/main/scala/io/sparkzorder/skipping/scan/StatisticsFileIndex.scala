// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.{ListedStatistics, StatisticsByPath}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, FileStatusWithMetadata, PartitionDirectory}

/**
 * The files of a table whose format skips by filters itself, without those in which, by the statistics in its log, no
 * row has a key of the joins above.
 *
 * It is the same relation as `delegate` to everything that compares plans.
 */
final private[skipping] class StatisticsFileIndex(
    override val delegate: FileIndex,
    files: ListedStatistics,
    lateFilters: Seq[Expression] = Nil)
    extends ScanFileIndex {

  @volatile private var lastPruned = PrunedFiles.none

  override def pruned: PrunedFiles = lastPruned

  override def statistics: String = "statistics of the log"

  override def skips: Boolean = true

  override def prunesByFilters: Boolean = false

  override def forScan(lateFilters: Seq[Expression]): ScanFileIndex =
    new StatisticsFileIndex(delegate, files, lateFilters)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val listed = delegate.listFiles(partitionFilters, dataFilters.filterNot(_.isInstanceOf[FutureJoinKeys]))
    lastPruned = PrunedFiles.none
    // The filters of the query have been applied to what is listed, and subqueries' values do no harm twice.
    val filters = ScanFilters.of(Nil, lateFilters)
    if (filters.isEmpty || listed.forall(_.files.isEmpty)) listed
    else
      try pruned(listed, filters)
      catch {
        case NonFatal(e) =>
          IndexWarnings.warn(rootPaths.take(1).mkString, None, e)
          listed
      }
  }

  private def pruned(listed: Seq[PartitionDirectory], filters: ScanFilters): Seq[PartitionDirectory] = {
    val start = System.nanoTime()
    val tested = for {
      known <- files.load()
      predicates <- ScanPredicates.of(filters, known, partitionSchema.fieldNames.toSet)
    } yield listed.map(PrunedDirectory.of(_, outcome(known, predicates)))
    tested.fold(listed) { directories =>
      lastPruned = PrunedDirectory.figures(directories, System.nanoTime() - start)
      PrunedDirectory.read(directories, isPartitioned = partitionSchema.nonEmpty)
    }
  }

  private def outcome(known: StatisticsByPath, predicates: ScanPredicates)(
      file: FileStatusWithMetadata): PrunedDirectory.Outcome = {
    val number = known.find(file.getPath)
    if (number < 0) PrunedDirectory.Kept else predicates.outcome(number)
  }

  override def rootPaths: Seq[Path] = delegate.rootPaths

  override def equals(other: Any): Boolean = other match {
    case index: StatisticsFileIndex => delegate == index.delegate
    case _ => false
  }

  override def hashCode: Int = delegate.hashCode
}
