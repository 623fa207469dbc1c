// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.skipping.predicate.{FilePredicate, FilesWithStatistics, FirstRows}

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * The filters of a scan, all of which a row must satisfy.
 *
 * @param byValues
 *   filters of the query itself
 * @param byKeys
 *   filters by the keys of joins
 * @param needed
 *   the rows that the query needs of those that satisfy the filters; all where none are named
 */
final private[skipping] case class ScanFilters(
    byValues: Seq[Expression],
    byKeys: Seq[Expression],
    needed: Seq[FirstRows]) {
  def isEmpty: Boolean = byValues.isEmpty && byKeys.isEmpty && needed.isEmpty
}

private[skipping] object ScanFilters {

  val none: ScanFilters = ScanFilters(Nil, Nil, Nil)

  /** Filters with the values that subqueries have by now. */
  def of(filters: Seq[Expression], late: Seq[Expression]): ScanFilters = {
    val (keys, others) = late.partition(LateFilters.isByKeys)
    val needed = filters.collect { case rows: NeededRows => rows.needed }.flatten
    ScanFilters(
      filters.filterNot(_.isInstanceOf[NeededRows]) ++ others.flatMap(LateFilters.withValues),
      keys.flatMap(LateFilters.withValues),
      needed)
  }
}

/** The filters of a scan against the statistics of files. */
final private[skipping] class ScanPredicates(byValues: Option[FilePredicate], byKeys: Option[FilePredicate]) {

  def outcome(file: Int): PrunedDirectory.Outcome =
    if (byValues.exists(!_.mayMatch(file))) PrunedDirectory.ByFilters
    else if (byKeys.exists(!_.mayMatch(file))) PrunedDirectory.ByKeys
    else PrunedDirectory.Kept
}

private[skipping] object ScanPredicates {

  /** None where the statistics exclude nothing. */
  def of(filters: ScanFilters, files: FilesWithStatistics, partitionColumns: Set[String]): Option[ScanPredicates] = {
    val values = FilePredicate(filters.byValues, files, partitionColumns)
    val keys = FilePredicate(filters.byKeys, files, partitionColumns)
    Option.when(values.isDefined || keys.isDefined)(new ScanPredicates(values, keys))
  }
}
