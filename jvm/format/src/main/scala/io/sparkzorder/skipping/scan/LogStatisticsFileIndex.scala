// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.skipping.predicate.{BoundsResolver, FileSpread, ListedStatistics, StatisticsByPath}

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.execution.datasources.{FileIndex, FileStatusWithMetadata, PartitionDirectory}

/**
 * The files of a table whose format skips by filters itself, without those in which, by the statistics in its log, no
 * row is of use: none has a key of the joins above, is among the first rows that are needed, or satisfies a filter
 * over a function.
 */
final private[skipping] class LogStatisticsFileIndex(
    override val delegate: FileIndex,
    files: ListedStatistics,
    lateFilters: Seq[Expression] = Nil)
    extends ScanFileIndex {

  override def statistics: String = "statistics of the log"

  override def skips: Boolean = true

  override def hasStatistics: Boolean = true

  override def tellsApart(keys: Seq[Expression], mayLoad: Boolean): Boolean =
    try {
      val bounded = keys.filter(mayBound)
      val known = if (mayLoad && bounded.nonEmpty) files.load() else files.loaded
      // While a query is planned no statistics are looked at.
      def tells(of: StatisticsByPath)(key: Expression) =
        if (mayLoad) FileSpread.tellsApart(key, of, partitionColumns)
        else FileSpread.found(key, of, partitionColumns).getOrElse(true)
      known.fold(!mayLoad)(of => bounded.exists(tells(of)))
    } catch { case ListedStatistics.Failure(_) => true }

  override def prunesByFilters: Boolean = false

  override def forScan(lateFilters: Seq[Expression]): ScanFileIndex =
    new LogStatisticsFileIndex(delegate, files, lateFilters)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val (needed, own) = dataFilters.partition(_.isInstanceOf[NeededRows])
    val listed = delegate.listFiles(partitionFilters, own.filterNot(LateFilters.isOurs))
    // Of the query's filters, most of which the format applies itself, those that it does not know.
    val filters = ScanFilters.of(needed ++ own.filter(BoundsResolver.usesFunction), lateFilters)
    leftOf(listed) {
      // Of a side without keys, which takes no statistics.
      if (filters.byKeys.contains(Literal.FalseLiteral))
        Some(listed.map(PrunedDirectory.of(_, _ => PrunedDirectory.ByKeys)))
      else if (isWorth(listed, filters)) tested(listed, filters)
      else None
    }
  }

  /**
   * Whether statistics may distinguish files, and enough of them: of one file little can be gained, and all statistics
   * of the version are read together.
   */
  private def isWorth(listed: Seq[PartitionDirectory], filters: ScanFilters): Boolean = {
    val keys = filters.byValues ++ filters.byKeys ++ filters.needed.map(_.key)
    lazy val number = listed.iterator.map(_.files.size.toLong).sum
    def areEnough = files.loaded.isDefined || number * LogStatisticsFileIndex.MostPerListed >= files.files
    keys.exists(mayBound) && number > 1 && areEnough
  }

  private def mayBound(key: Expression): Boolean =
    key.references.exists(a => !partitionColumns(a.name) && files.mayBound(a.name, a.dataType))

  private def tested(listed: Seq[PartitionDirectory], filters: ScanFilters): Option[Seq[PrunedDirectory]] =
    for {
      known <- files.load()
      predicates = ScanPredicates.of(filters, known, partitionColumns)
      if predicates.isDefined || filters.needed.nonEmpty
    } yield {
      // For queries to come, when they are planned.
      lateFilters.flatMap(LateFilters.keysOf).foreach(FileSpread.tellsApart(_, known, partitionColumns): Unit)
      val matching = listed.map(PrunedDirectory.of(_, outcome(known, predicates)))
      if (filters.needed.isEmpty) matching
      else
        PrunedDirectory.needed(
          matching,
          new NeededFiles(filters.needed, partitionColumns),
          file => numberOf(known, file).map(KnownFile(known, _, () => true)))
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
}

private object LogStatisticsFileIndex {

  // Files whose statistics are read for each that is listed.
  private val MostPerListed = 100
}
