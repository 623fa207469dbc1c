// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.skipping.predicate.{FilePredicate, FilesWithStatistics, FirstRows}

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, PartitionDirectory}

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

/** A directory of a listing without the files that were left out of it, and their numbers. */
final private[skipping] case class PrunedDirectory(directory: PartitionDirectory, out: PrunedFiles.Counts) {
  def isWhole: Boolean = out.byFilters == 0 && out.byKeys == 0
}

private[skipping] object PrunedDirectory {

  /** What statistics say of a file. */
  sealed trait Outcome
  case object Kept extends Outcome
  case object ByFilters extends Outcome
  case object ByKeys extends Outcome

  def of(directory: PartitionDirectory, outcome: FileStatusWithMetadata => Outcome): PrunedDirectory = {
    val outcomes = directory.files.map(outcome)
    val counts = PrunedFiles.Counts(outcomes.count(_ == ByFilters), outcomes.count(_ == ByKeys))
    val kept = PrunedDirectory(directory, counts)
    if (kept.isWhole) kept
    else {
      val files = directory.files.zip(outcomes).collect { case (file, Kept) => file }
      kept.copy(directory = directory.copy(files = files))
    }
  }

  /** Without the files in which there is no row that a query needs. */
  def needed(
      directories: Seq[PrunedDirectory],
      files: NeededFiles,
      known: FileStatusWithMetadata => Option[KnownFile]): Seq[PrunedDirectory] = {
    val listed = directories.flatMap(_.directory.files)
    val read = listed.map(_.getPath).zip(files.of(listed.map(f => f -> known(f)))).toMap
    directories.map { d =>
      val kept = of(d.directory, file => if (read(file.getPath)) Kept else ByFilters)
      kept.copy(out = kept.out + d.out)
    }
  }

  def figures(directories: Seq[PrunedDirectory], nanos: Long): PrunedFiles =
    PrunedFiles(directories.filterNot(_.isWhole).map(d => d.directory.values -> d.out), nanos)

  /** What a scan reads of them: Spark would count a partition that lost all files as one that is read. */
  def read(directories: Seq[PrunedDirectory], isPartitioned: Boolean): Seq[PartitionDirectory] =
    directories.filter(d => !isPartitioned || d.isWhole || d.directory.files.nonEmpty).map(_.directory)
}
