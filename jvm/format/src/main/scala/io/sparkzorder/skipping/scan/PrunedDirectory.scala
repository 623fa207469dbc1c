// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, PartitionDirectory}

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

  def of(directory: PartitionDirectory, outcome: FileStatusWithMetadata => Outcome): PrunedDirectory =
    withOutcomes(directory, directory.files.map(outcome))

  /** @param outcomes of each of the files */
  def withOutcomes(directory: PartitionDirectory, outcomes: Seq[Outcome]): PrunedDirectory = {
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
    val read = listed.map(_.getPath).zip(files.of(listed.map(known))).toMap
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
