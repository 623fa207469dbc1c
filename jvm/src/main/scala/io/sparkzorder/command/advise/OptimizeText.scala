// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ZOrderColumn

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/** The text of an OPTIMIZE statement. */
private[advise] object OptimizeText {

  /**
   * @param table
   *   name of the table in SQL
   * @param curve
   *   None for the session's
   * @param targetFileBytes
   *   None for the table's, or the session's
   */
  def of(
      table: String,
      columns: Seq[ZOrderColumn],
      predicate: Option[Expression],
      curve: Option[String],
      targetFileBytes: Option[Long]): String = {
    val where = predicate.fold("")(p => s" WHERE ${unqualified(p).sql}")
    val options = curve.map(c => s"curve = '$c'") ++ targetFileBytes.map(b => s"target_file_size = '${size(b)}'")
    val clause = if (options.isEmpty) "" else options.mkString(" OPTIONS (", ", ", ")")
    s"OPTIMIZE $table$where ZORDER BY (${columns.mkString(", ")})$clause"
  }

  private def unqualified(predicate: Expression): Expression =
    predicate.transform { case a: Attribute => a.withQualifier(Nil) }

  /** As OPTIONS takes it; whole mebibytes by their unit. */
  private def size(bytes: Long): String = if (bytes % (1L << 20) == 0) s"${bytes >> 20}m" else bytes.toString
}
