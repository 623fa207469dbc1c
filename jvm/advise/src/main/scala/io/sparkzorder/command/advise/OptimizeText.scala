// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.config.TargetFileSize

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

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
