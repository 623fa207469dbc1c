// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.simulate.{KnownFiles, SampledColumn, ScansToRead}
import io.sparkzorder.layout.FileCuts

import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.unsafe.types.UTF8String

/**
 * What a user should know of a layout, or of the table, before the rewrite.
 *
 * @param today
 *   the files as they are
 */
private[advise] final class LayoutWarnings(input: AdviceInput, today: KnownFiles) {
  import LayoutWarnings._

  private val sample = input.sample

  /** Files that OPTIMIZE would write: those simulated, or more where the sample could not tell so many apart. */
  def plannedFiles(simulated: KnownFiles, targetFileBytes: Long): Int = {
    val wanted = FileCuts.files(input.bytes.toDouble, targetFileBytes)
    if (isCoarse(simulated, wanted)) wanted else simulated.size
  }

  private def isCoarse(simulated: KnownFiles, wanted: Int): Boolean = wanted > 2 * simulated.size

  /** Warnings of one set of columns. */
  def ofSet(columns: Seq[Int], targetFileBytes: Long, simulated: KnownFiles): Seq[String] = {
    val files = plannedFiles(simulated, targetFileBytes)
    val tooFew =
      if (files == 1)
        Some(s"all rows fit in one file of $targetFileBytes bytes, of which no query can skip any; a smaller " +
          "target_file_size makes more of them")
      else if (columns.size > 1 && files < (1 << columns.size))
        Some(s"${columns.size} columns are many for $files files: not every column is cut even in two")
      else None
    val small =
      if (files > 1 && input.bytes / files < TargetSizes.Least / 2)
        Some(s"files of ${input.bytes / files} bytes are small: opening them takes longer than reading them")
      else None
    val coarse =
      if (isCoarse(simulated, files))
        Some(s"the shares are those of ${simulated.size} files, the most that the sample can tell apart: of $files " +
          "files less is read; spark.sql.zorder.sampleSize makes the sample larger")
      else None
    Seq(tooFew, small, coarse).flatten ++ columns.flatMap(c => prefix(sample.columns(c)))
  }

  /** Strings that differ only behind what the statistics keep of them. */
  private def prefix(column: SampledColumn): Option[String] = {
    val step = math.max(1, column.size / StringsToLookAt)
    val values = (0 until column.size by step).map(column.at).distinct
    def recorded(value: Any) = input.snapshot.recordedBounds(value, value, column.column.dataType)._1
    if (column.distinct < NearlyUnique * column.size || !values.headOption.exists(_.isInstanceOf[UTF8String])) None
    else {
      val kept = values.map(recorded).distinct.size
      if (kept >= values.size / 2) None
      else
        Some(
          s"${column.column} is nearly unique, and begins alike: of ${values.size} sampled values the bounds that the " +
            s"statistics keep tell $kept apart, so that a layout by it skips little")
    }
  }

  /** Warnings of the table, beside the best advice. */
  def ofTable(readNow: Double, read: Double, best: Seq[Int]): Seq[String] = {
    val ordered = input.columns.filter(isOrdered)
    val lost = ordered.filterNot(best.contains).map { c =>
      s"files are in the order of ${name(c)} today, and would no longer be"
    }
    val kept = ordered.filter(best.contains).map(c => s"files are in the order of ${name(c)} already")
    val noGain =
      if (read < readNow * (1 - WorthARewrite)) None
      else Some("no layout that was tried reads much less than today's files do: a rewrite is not worth its cost")
    val average = input.bytes / input.files.size
    val small =
      if (input.files.size <= 1 || average >= TargetSizes.Least / 2) None
      else Some(s"the table has ${input.files.size} files of $average bytes on average today, which is small")
    input.notes ++ noGain ++ lost ++ kept ++ small
  }

  /** Whether a lookup of the column opens hardly more than the one file that it must. */
  private def isOrdered(number: Int): Boolean = today.size >= FilesOfAnOrder && {
    val lookups = PointLookups.of(Seq(sample.columns(number)), toAttributes(input.snapshot.schema))
    val some = ScansToRead
      .of(lookups, input.snapshot.partitionSchema, input.partitions)
      .some(math.max(10, 1000000 / today.size))
    some.share(today).files <= FilesInOrder
  }

  private def name(number: Int): String = sample.columns(number).column.toString
}

private object LayoutWarnings {

  /** Files that a lookup opens on average where they are in order: one, and sometimes its neighbour. */
  private val FilesInOrder = 2.0

  /** The fewest files of which it can be said that they are in an order. */
  private val FilesOfAnOrder = 8

  /** Share of the sampled rows that have a value of their own. */
  private val NearlyUnique = 0.9

  private val StringsToLookAt = 1000

  private val WorthARewrite = 0.05
}
