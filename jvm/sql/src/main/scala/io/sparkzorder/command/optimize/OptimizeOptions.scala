// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import java.util.Locale
import java.util.concurrent.TimeUnit

import scala.util.Try

import io.sparkzorder.config.{Compression, TargetFileSize, ZOrderConf}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, OwnRecords, RestorableTable}

import org.apache.spark.network.util.JavaUtils

/**
 * The OPTIONS of OPTIMIZE, checked. None where the statement leaves it to the table and the session.
 *
 * @param curve
 *   name of the curve, one of [[Curve.names]]
 * @param targetFileSize
 *   size of a file to aim at
 * @param incremental
 *   whether files that are clustered already may stay
 * @param overlappingFiles
 *   whether WHERE may name any column and chooses files, not partitions
 * @param batchBytes
 *   bytes of the partitions to commit at a time, 1 or more
 * @param compression
 *   of the files that are written
 * @param keepOldMillis
 *   for how long replaced files of a Parquet table are kept, in milliseconds
 * @param force
 *   whether files are rewritten also where that gains nothing
 */
final case class OptimizeOptions(
    curve: Option[String] = None,
    targetFileSize: Option[TargetFileSize] = None,
    incremental: Option[Boolean] = None,
    overlappingFiles: Boolean = false,
    batchBytes: Option[Long] = None,
    compression: Option[Compression] = None,
    keepOldMillis: Option[Long] = None,
    force: Boolean = false) {

  /** @throws ZOrderAnalysisException for a time to keep replaced files of a table that does not let us keep them */
  def requireKeepable(table: ClusterableTable): Unit =
    if (keepOldMillis.isDefined && !table.isInstanceOf[RestorableTable])
      throw table.refusal(OwnRecords.ReplacedFiles, OptimizeOptions.KeepOldText)

  override def toString: String =
    curve.fold("")(c => s", along $c") + targetFileSize.fold("") {
      case TargetFileSize.Asked(bytes) => s", files of $bytes bytes"
      case TargetFileSize.Auto => ", files of a size that suits the table"
    } +
      (if (incremental.contains(true)) ", incremental" else "") + (if (overlappingFiles) ", overlapping files"
                                                                   else "") +
      batchBytes.fold("")(b => s", batches of $b bytes") + compression.fold("")(c => s", compressed by $c") +
      keepOldMillis.fold("")(m => s", old files kept for $m ms") + (if (force) ", forced" else "")
}

object OptimizeOptions {

  private val CurveName = "curve"
  private val FileSize = "target_file_size"
  private val Mode = "mode"
  private val BatchSize = "batch_size"
  private val CompressionName = "compression"
  private val KeepOld = "keep_old"
  private val Force = "force"

  /** The option as messages name it. */
  private val KeepOldText: String = s"OPTIONS ($KeepOld = ...)"

  private val WhereFiles = "where_files"
  private val Overlapping = "overlapping"

  private val allowed = Seq(CurveName, FileSize, Mode, WhereFiles, BatchSize, CompressionName, KeepOld, Force)
  private val Time = """(\d{1,9})\s*(d|days?|h|hours?|m|min|minutes?|s|seconds?)""".r
  private val units =
    Map('d' -> TimeUnit.DAYS, 'h' -> TimeUnit.HOURS, 'm' -> TimeUnit.MINUTES, 's' -> TimeUnit.SECONDS)
  private val choices = Seq("partitions", Overlapping)
  private val yesOrNo = Seq("true", "false")

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): OptimizeOptions = parse(options, statement, allowed)

  /**
   * The options of a compaction, which knows no order and no part of a partition.
   *
   * @throws ZOrderAnalysisException
   *   for a key or a value that does not exist, or not there
   */
  def ofCompaction(options: Map[String, String], statement: String): OptimizeOptions =
    parse(options, statement, allowed.filterNot(Set(CurveName, Mode, WhereFiles)))

  private def parse(options: Map[String, String], statement: String, allowed: Seq[String]): OptimizeOptions = {
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    def word(option: String, values: Seq[String]) = options.get(option).map(oneOf(_, option, values, statement))
    def size(option: String) = options.get(option).map(bytes(_, option, statement))
    OptimizeOptions(
      word(CurveName, Curve.names),
      options.get(FileSize).map(fileSize(_, statement)),
      word(Mode, ZOrderConf.modes).map(_ == ZOrderConf.Incremental),
      word(WhereFiles, choices).contains(Overlapping),
      size(BatchSize),
      options.get(CompressionName).map(compression(_, statement)),
      options.get(KeepOld).map(time(_, statement)),
      word(Force, yesOrNo).contains("true")
    )
  }

  private def oneOf(value: String, option: String, values: Seq[String], statement: String): String =
    values.find(_ == value.toLowerCase(Locale.ROOT)).getOrElse {
      throw ZOrderErrors.invalidOption(statement, option, value, values.mkString("'", "' or '", "'"))
    }

  private def compression(value: String, statement: String): Compression = Compression.parse(value).getOrElse {
    throw ZOrderErrors.invalidOption(statement, CompressionName, value, Compression.Allowed)
  }

  private def fileSize(value: String, statement: String): TargetFileSize = TargetFileSize.parse(value).getOrElse {
    throw ZOrderErrors.invalidOption(statement, FileSize, value, TargetFileSize.Allowed)
  }

  private def time(value: String, statement: String): Long = {
    val found = Some(value.trim.toLowerCase(Locale.ROOT)).collect { case Time(number, unit) =>
      units(unit.head).toMillis(number.toLong)
    }
    found.filter(_ <= ZOrderConf.MostToKeep).getOrElse {
      val allowed = "a time with its unit, such as '7 days' or '12h', up to 36500 days"
      throw ZOrderErrors.invalidOption(statement, KeepOld, value, allowed)
    }
  }

  private def bytes(value: String, option: String, statement: String): Long =
    // Also of more bytes than a BIGINT holds.
    Try(JavaUtils.byteStringAsBytes(value.trim)).toOption.filter(_ > 0).getOrElse {
      throw ZOrderErrors.invalidOption(statement, option, value, "a size of 1 byte or more, such as '256m'")
    }
}
