// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.{BoundsResolver, FileSpread, ListedStatistics, StatisticsByPath}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, FileStatusWithMetadata, PartitionDirectory}

/**
 * The files of a table whose format skips by filters itself, without those in which, by the statistics in its log, no
 * row is of use: none has a key of the joins above, is among the first rows that are needed, or satisfies a filter
 * over a function.
 *
 * It is the same relation as `delegate` to everything that compares plans.
 */
final private[skipping] class LogStatisticsFileIndex(
    override val delegate: FileIndex,
    files: ListedStatistics,
    lateFilters: Seq[Expression] = Nil)
    extends ScanFileIndex {

  @volatile private var lastPruned = PrunedFiles.none

  override def pruned: PrunedFiles = lastPruned

  override def statistics: String = "statistics of the log"

  override def skips: Boolean = true

  override def hasStatistics: Boolean = true

  override def tellsApart(keys: Seq[Expression], mayLoad: Boolean): Boolean =
    try {
      val known = if (mayLoad) files.load() else files.loaded
      known.fold(!mayLoad)(of => keys.exists(FileSpread.tellsApart(_, of, partitionColumns)))
    } catch { case NonFatal(_) => true }

  override def prunesByFilters: Boolean = false

  override def forScan(lateFilters: Seq[Expression]): ScanFileIndex =
    new LogStatisticsFileIndex(delegate, files, lateFilters)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val (needed, own) = dataFilters.partition(_.isInstanceOf[NeededRows])
    val listed = delegate.listFiles(partitionFilters, own.filterNot(LateFilters.isOurs))
    lastPruned = PrunedFiles.none
    // Of the query's filters, most of which the format applies itself, those that it does not know.
    val filters = ScanFilters.of(needed ++ own.filter(BoundsResolver.usesFunction), lateFilters)
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
      predicates = ScanPredicates.of(filters, known, partitionColumns)
      if predicates.isDefined || filters.needed.nonEmpty
    } yield {
      val matching = listed.map(PrunedDirectory.of(_, outcome(known, predicates)))
      if (filters.needed.isEmpty) matching
      else
        PrunedDirectory.needed(
          matching,
          new NeededFiles(filters.needed, partitionColumns),
          file => numberOf(known, file).map(KnownFile(known, _, () => true)))
    }
    tested.fold(listed) { directories =>
      lastPruned = PrunedDirectory.figures(directories, System.nanoTime() - start)
      PrunedDirectory.read(directories, isPartitioned = partitionSchema.nonEmpty)
    }
  }

  private def partitionColumns: Set[String] = partitionSchema.fieldNames.toSet

  // A file of a log never changes.
  private def numberOf(known: StatisticsByPath, file: FileStatusWithMetadata): Option[Int] =
    Some(known.find(file.getPath)).filter(_ >= 0)

  private def outcome(known: StatisticsByPath, predicates: Option[ScanPredicates])(
      file: FileStatusWithMetadata): PrunedDirectory.Outcome =
    predicates.zip(numberOf(known, file)).fold[PrunedDirectory.Outcome](PrunedDirectory.Kept) { case (tests, number) =>
      tests.outcome(number)
    }

  override def rootPaths: Seq[Path] = delegate.rootPaths

  override def equals(other: Any): Boolean = other match {
    case index: LogStatisticsFileIndex => delegate == index.delegate
    case _ => false
  }

  override def hashCode: Int = delegate.hashCode
}
