// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.{HumanReadable, PartitionAdvice, ReadsMore}

import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.unsafe.types.UTF8String

/**
 * What a user should know of a layout, or of the table, before the rewrite.
 *
 * @param today
 *   the files as they are
 */
private[advise] final class LayoutWarnings(input: AdviceInput, today: SimulatedFiles) {
  import LayoutWarnings._

  private val sample = input.sample

  /**
   * Files that OPTIMIZE would write: those simulated, or more where the sample has too few rows for so many.
   *
   * @param wanted
   *   number of files of the size to aim at
   */
  def plannedFiles(simulated: SimulatedFiles, wanted: Int): Int =
    if (isCoarse(simulated, wanted)) wanted else simulated.size

  private def isCoarse(simulated: SimulatedFiles, wanted: Int): Boolean = wanted > 2 * simulated.size

  /** Whether a rewrite saves so much of what is read today that it may be worth its cost. */
  def isWorthIt(readNow: Double, read: Double): Boolean = read < readNow * (1 - WorthARewrite)

  /**
   * Warnings of one set of columns.
   *
   * @param files
   *   number of files that OPTIMIZE would write
   */
  def ofSet(columns: Seq[Int], targetFileBytes: Long, simulated: SimulatedFiles, files: Int): Seq[String] = {
    val tooFew =
      if (files == 1)
        Some(
          s"all rows fit in one file of ${HumanReadable.bytes(targetFileBytes)}, of which no query can skip any; a smaller " +
            "target_file_size makes more of them")
      else if (columns.size > 1 && files < (1 << columns.size))
        Some(s"${columns.size} columns are many for $files files: not every column is cut even in two")
      else None
    val coarse =
      if (isCoarse(simulated, files))
        Some(s"the shares are those of ${simulated.size} files, the most that the sample can tell apart: of $files " +
          "files less is read; spark.sql.zorder.sampleSize makes the sample larger")
      else None
    Seq(tooFew, coarse).flatten ++ columns.flatMap(c => prefix(sample.columns(c))) ++ worse(simulated).map(_._2)
  }

  /** Columns in whose order the files are today, of which lookups would read clearly more, each with a warning. */
  private def worse(simulated: SimulatedFiles): Seq[(Int, String)] = for {
    (column, now) <- ordered
    later = lookups(column, simulated).bytes if ReadsMore.isClear(now, later)
  } yield column ->
    (s"lookups by ${name(column)} read ${HumanReadable.percent(now)} of the bytes today, as files are in its order, and would " +
      s"read ${HumanReadable.percent(later)}: ${ReadsMore.remedy(partitionBy(column).toSeq)}")

  private def partitionBy(number: Int): Option[String] = {
    val column = sample.columns(number)
    // What a sample shows of few values; of many it has seen but some.
    val distinct =
      Option.when(sample.share == 1 || column.distinct <= column.size / RowsOfAValue)(column.distinct.toLong)
    val range = Option.when(column.size > 0)((column.at(0), column.at(column.size - 1)))
    if (input.snapshot.partitionSchema.nonEmpty) None
    else PartitionAdvice.of(name(number), column.column.dataType, input.bytes, distinct, range)
  }

  /** Strings that differ only after what the statistics keep of them. */
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

  /**
   * Warnings of the table, beside the best advice.
   *
   * @param simulated
   *   the files of the best layout
   * @param planned
   *   number of files that OPTIMIZE would write
   */
  def ofTable(readNow: Double, read: Double, best: Seq[Int], simulated: SimulatedFiles, planned: Int): Seq[String] = {
    val isWorse = worse(simulated).map(_._1).toSet
    val kept = ordered.map(_._1).filter(c => best.contains(c) && !isWorse(c)).map { c =>
      s"files are in the order of ${name(c)} already"
    }
    val noGain =
      if (isWorthIt(readNow, read)) None
      else Some("no layout that was tried reads much less than today's files do: a rewrite is not worth its cost")
    input.notes ++ noGain ++ kept ++ small(planned)
  }

  /** Said once: of the files to come, or else of those of today. */
  private def small(planned: Int): Option[String] = {
    def isSmall(files: Int) = files > 1 && input.bytes / files < SmallFile
    def size(files: Int) = HumanReadable.bytes(input.bytes / files)
    val now = input.files.size
    if (isSmall(planned))
      Some(
        s"files of ${size(planned)} are small: opening them takes longer than reading them, so that queries read " +
          "less and are hardly faster")
    else if (isSmall(now)) Some(s"the table has $now files of ${size(now)} on average today, which is small")
    else None
  }

  /** Columns of which a lookup opens hardly more than the one file that it must, with the share of the bytes that it reads. */
  private lazy val ordered: Seq[(Int, Double)] = input.columns.map(c => c -> lookups(c, today)).collect {
    case (column, read) if ReadsMore.isInOrder(read.files, today.size) => column -> read.bytes
  }

  /** What lookups of single values of a column read. */
  private def lookups(number: Int, files: SimulatedFiles): WorkloadRead = {
    val column = sample.columns(number)
    val lookup = DrawnValues.lookup(column, toAttributes(input.snapshot.schema))
    ScansToRead
      .of(new DrawnValues(Seq(column)).sampled(Seq(lookup)), input.snapshot.partitionSchema, input.partitions)
      .some(math.max(10, 1000000 / files.size))
      .share(files)
  }

  private def name(number: Int): String = sample.columns(number).column.toString
}

private[advise] object LayoutWarnings {

  val HardlyLess = "it reads hardly less than today's files do: a rewrite by these columns is not worth its cost"

  /** In bytes: what could be read while a file is opened, by Spark's default. */
  private val SmallFile = 4L << 20

  /** Share of the sampled rows that have a value of their own. */
  private val NearlyUnique = 0.9

  private val StringsToLookAt = 1000

  /** Sampled rows of each value of a column of which the sample has seen all values. */
  private val RowsOfAValue = 20

  /** Less is within what the shares of a sample and those of the files that are written differ by. */
  private val WorthARewrite = 0.1
}
