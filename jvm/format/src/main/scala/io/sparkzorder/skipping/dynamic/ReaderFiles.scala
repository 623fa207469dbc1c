// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.{FileSpread, FilesWithStatistics}
import io.sparkzorder.skipping.scan._

import org.apache.spark.sql.catalyst.expressions.Expression

/** What statistics and the filters of a scan by a format's own reader say of the files that are planned for it. */
object ReaderFiles {

  /**
   * The files that are left out, by their numbers.
   *
   * @param byFilters
   *   those with no row that satisfies a filter with values of its own, or that is among the first that are needed
   * @param byKeys
   *   those of the others with no key of a join
   */
  final case class LeftOut(byFilters: Set[Int], byKeys: Set[Int])

  /** Whether ranges of one of these keys, or many of them, may leave out some files and not others. */
  def tellApart(keys: Seq[Expression], files: FilesWithStatistics): Boolean =
    keys.exists(FileSpread.tellsApart(_, files, Set.empty))

  /**
   * @param filters
   *   those without values yet leave out nothing
   * @param planned
   *   of each file that is planned its number; None for one of which nothing is known
   */
  def leftOut(filters: Seq[Expression], files: FilesWithStatistics, planned: Seq[Option[Int]]): LeftOut = {
    val (late, own) = filters.partition(LateFilters.isLate)
    val scanFilters = ScanFilters.of(own, late)
    val tests = ScanPredicates.of(scanFilters, files, Set.empty)
    val outcomes = planned.map(file => file -> outcome(file, tests))
    def numbers(of: PrunedDirectory.Outcome) = outcomes.collect { case (Some(file), `of`) => file }.toSet
    val kept = outcomes.collect { case (file, PrunedDirectory.Kept) => file }
    LeftOut(
      numbers(PrunedDirectory.ByFilters) ++ unneeded(scanFilters, files, kept),
      numbers(PrunedDirectory.ByKeys))
  }

  private def outcome(file: Option[Int], tests: Option[ScanPredicates]): PrunedDirectory.Outcome =
    file.zip(tests).fold[PrunedDirectory.Outcome](PrunedDirectory.Kept) { case (number, of) => of.outcome(number) }

  private def unneeded(filters: ScanFilters, files: FilesWithStatistics, kept: Seq[Option[Int]]): Set[Int] =
    if (filters.needed.isEmpty) Set.empty
    else {
      // Files of a version of a table never change.
      val known = kept.map(_.map(KnownFile(files, _, () => true)))
      val read = new NeededFiles(filters.needed, Set.empty).of(known)
      kept.zip(read).collect { case (Some(file), false) => file }.toSet
    }
}
