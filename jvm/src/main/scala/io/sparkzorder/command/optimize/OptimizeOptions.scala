// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import java.util.Locale

import io.sparkzorder.config.{Compression, ZOrderConf}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.network.util.JavaUtils

/**
 * The OPTIONS of OPTIMIZE, checked. None where the statement leaves it to the table and the session.
 *
 * @param curve
 *   name of the curve, one of [[Curve.names]]
 * @param targetFileBytes
 *   size of a file to aim at, 1 or more
 * @param incremental
 *   whether files that are clustered already may stay
 * @param overlappingFiles
 *   whether WHERE may name any column and chooses files, not partitions
 * @param batchBytes
 *   bytes of the partitions to commit at a time, 1 or more
 * @param compression
 *   of the files that are written
 */
final case class OptimizeOptions(
    curve: Option[String] = None,
    targetFileBytes: Option[Long] = None,
    incremental: Option[Boolean] = None,
    overlappingFiles: Boolean = false,
    batchBytes: Option[Long] = None,
    compression: Option[Compression] = None) {

  override def toString: String =
    curve.fold("")(c => s", along $c") + targetFileBytes.fold("")(b => s", files of $b bytes") +
      (if (incremental.contains(true)) ", incremental" else "") + (if (overlappingFiles) ", overlapping files"
                                                                   else "") +
      batchBytes.fold("")(b => s", batches of $b bytes") + compression.fold("")(c => s", compressed by $c")
}

object OptimizeOptions {

  private val CurveName = "curve"
  private val TargetFileSize = "target_file_size"
  private val Mode = "mode"
  private val BatchSize = "batch_size"
  private val CompressionName = "compression"

  private val WhereFiles = "where_files"
  private val Overlapping = "overlapping"

  private val allowed = Seq(CurveName, TargetFileSize, Mode, WhereFiles, BatchSize, CompressionName)
  private val choices = Seq("partitions", Overlapping)

  /** @throws ZOrderAnalysisException for a key or a value that does not exist */
  def parse(options: Map[String, String], statement: String): OptimizeOptions = {
    options.keys.find(!allowed.contains(_)).foreach(k => throw ZOrderErrors.unknownOption(statement, k, allowed))
    def word(option: String, values: Seq[String]) = options.get(option).map(oneOf(_, option, values, statement))
    def size(option: String) = options.get(option).map(bytes(_, option, statement))
    OptimizeOptions(
      word(CurveName, Curve.names),
      size(TargetFileSize),
      word(Mode, ZOrderConf.modes).map(_ == ZOrderConf.Incremental),
      word(WhereFiles, choices).contains(Overlapping),
      size(BatchSize),
      options.get(CompressionName).map(compression(_, statement))
    )
  }

  private def oneOf(value: String, option: String, values: Seq[String], statement: String): String =
    values.find(_ == value.toLowerCase(Locale.ROOT)).getOrElse {
      throw ZOrderErrors.invalidOption(statement, option, value, values.mkString("'", "' or '", "'"))
    }

  private def compression(value: String, statement: String): Compression = Compression.parse(value).getOrElse {
    throw ZOrderErrors.invalidOption(statement, CompressionName, value, Compression.Allowed)
  }

  private def bytes(value: String, option: String, statement: String): Long = {
    val size =
      try Some(JavaUtils.byteStringAsBytes(value.trim))
      catch { case _: NumberFormatException => None }
    size.filter(_ > 0).getOrElse {
      throw ZOrderErrors.invalidOption(statement, option, value, "a size of 1 byte or more, such as '256m'")
    }
  }
}
