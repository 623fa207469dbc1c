// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.config.TargetFileSize

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/**
 * One row of advice.
 *
 * @param files
 *   number of files that OPTIMIZE would write
 * @param readShare
 *   expected share of the table's bytes, 0 to 1, that the workload reads, on average over its scans
 * @param readShareNow
 *   the same of the files as they are
 * @param rewriteBytes
 *   bytes that OPTIMIZE would read and write
 * @param rewriteSeconds
 *   seconds that this takes, roughly
 * @param statement
 *   the OPTIMIZE to run; None where it would gain nothing
 */
private[advise] final case class AdvisedLayout(
    columns: Seq[ZOrderColumn],
    curve: String,
    targetFileBytes: Long,
    files: Int,
    readShare: Double,
    readShareNow: Double,
    rewriteBytes: Long,
    rewriteSeconds: Double,
    statement: Option[String],
    warnings: Seq[String])

/** The text of an OPTIMIZE statement. */
private[advise] object OptimizeText {

  /**
   * @param table
   *   name of the table in SQL
   * @param curve
   *   None for the session's
   * @param targetFileSize
   *   None for the table's, or the automatic one
   */
  def of(
      table: String,
      columns: Seq[ZOrderColumn],
      predicate: Option[Expression],
      curve: Option[String],
      targetFileSize: Option[TargetFileSize]): String = {
    val where = predicate.fold("")(p => s" WHERE ${unqualified(p).sql}")
    val options = curve.map(c => s"curve = '$c'") ++ targetFileSize.map(s => s"target_file_size = '${text(s)}'")
    val clause = if (options.isEmpty) "" else options.mkString(" OPTIONS (", ", ", ")")
    s"OPTIMIZE $table$where ZORDER BY (${columns.mkString(", ")})$clause"
  }

  private def unqualified(predicate: Expression): Expression =
    predicate.transform { case a: Attribute => a.withQualifier(Nil) }

  /** As OPTIONS takes it; whole mebibytes and kibibytes by their unit. */
  private def text(size: TargetFileSize): String = size match {
    case TargetFileSize.Auto => TargetFileSize.AutoName
    case TargetFileSize.Asked(bytes) if bytes % (1L << 20) == 0 => s"${bytes >> 20}m"
    case TargetFileSize.Asked(bytes) if bytes % (1L << 10) == 0 => s"${bytes >> 10}k"
    case TargetFileSize.Asked(bytes) => bytes.toString
  }
}

/**
 * What OPTIMIZE takes, about: a fixed part, one that grows with rows and bytes, and one for each partition, fitted to the
 * processor time of runs on local disks (docs/advice.md has the runs).
 */
private[advise] object RewriteCost {

  /** Seconds to plan, to start jobs and to commit, however small the table. */
  private val Fixed = 5.0

  // Processor seconds: to read, move, sort and encode a row, to compress a byte, and to begin and end a file.
  private val OfRow = 2.0e-6
  private val OfByte = 1.0 / 60e6
  private val OfPartition = 0.05

  /** @param parallelism number of tasks that run at once */
  def seconds(rows: Double, bytes: Long, partitions: Int, parallelism: Int): Double = {
    val processor = rows * OfRow + bytes * OfByte + partitions * OfPartition
    // It is rough: two digits.
    BigDecimal(Fixed + processor / math.max(1, parallelism)).round(new java.math.MathContext(2)).toDouble
  }
}
