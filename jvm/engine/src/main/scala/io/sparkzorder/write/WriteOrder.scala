// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.column.{ColumnPath, OrderColumns, TableOrder, ZOrderColumn}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * The order of a table, found in the rows of one write. Columns are known by their ordinals: the optimizer may give a
 * query's columns other ids, but leaves them where they are.
 *
 * @param table
 *   name of the table, for messages
 * @param asked
 *   the order that the table's properties ask for
 * @param columns
 *   per column, its ordinal among the rows' columns and the ordinals of the fields on its way
 * @param partitions
 *   ordinals of the columns by which the writer wants its rows sorted first
 * @param moves
 *   whether rows move between tasks
 */
final case class WriteOrder(
    table: String,
    asked: TableOrder,
    columns: Seq[Seq[Int]],
    partitions: Seq[Int],
    moves: Boolean) {
  import WriteOrder._

  /** By what rows are compared. A z-order of one column is a plain sort. */
  val kind: Kind =
    if (!asked.isZOrder || columns.size == 1) Lexical else if (asked.isRaw) RawCurve else RankedCurve

  /** The columns as expressions over the rows' attributes. */
  def expressions(output: Seq[Attribute]): Seq[Expression] = columns.map { ordinals =>
    ordinals.tail.foldLeft[Expression](output(ordinals.head)) { (struct, ordinal) =>
      GetStructField(struct, ordinal, Some(struct.dataType.asInstanceOf[StructType](ordinal).name))
    }
  }

  override def toString: String = {
    val scope =
      if (moves) "global" else if (asked.isGlobal) "local, as the rows cannot be computed twice" else "local"
    s"$asked of $table, $scope" + (kind match {
      case Lexical => ""
      case RawCurve => ", raw values"
      case RankedCurve => ", ranks"
    })
  }
}

object WriteOrder extends Logging {

  /** By what rows are compared. */
  sealed trait Kind

  /** Column by column. */
  case object Lexical extends Kind

  /** Along the curve through the values' own bits. */
  case object RawCurve extends Kind

  /** Along the curve through the ranks of the values. */
  case object RankedCurve extends Kind

  /**
   * @return
   *   None for a table without an order, where the order has no column left, and where it is not valid and the user wants
   *   to go on
   * @throws ZOrderAnalysisException
   *   where the order is not valid: a column of it is gone or cannot be ordered by, a property has a value that there is
   *   not, or something else lays out the table's files
   */
  def of(rows: WriteInput, properties: Map[String, String], conf: SQLConf): Option[WriteOrder] =
    try TableOrder.of(rows.table, properties).flatMap(found(rows, _, conf.resolver))
    catch {
      case e: ZOrderAnalysisException if ZOrderConf.writesOnInvalidOrder(conf) =>
        logWarning(s"Rows are written to ${rows.table} without an order: ${e.getMessage}")
        None
    }

  private def found(rows: WriteInput, order: TableOrder, same: Resolver): Option[WriteOrder] = {
    rows.conflict.foreach(throw _)
    if (order.isZOrder && order.columns.size > ZOrderColumn.Limit)
      throw ZOrderErrors.tooManySortColumns(order.columns.size, ZOrderColumn.Limit, rows.table)
    val partitions = rows.partitionOrdinals
    val columns = order.columns
      .filterNot(c => c.size == 1 && rows.constants.exists(same(_, c.head)))
      .flatMap(ordinals(rows, order, _, same))
      .filterNot(c => partitions.contains(c.head))
    if (order.isGlobal && !rows.areRepeatable)
      logWarning(s"Rows of ${rows.table} are ordered within their tasks only, as they cannot be computed twice")
    if (columns.isEmpty) None
    else Some(WriteOrder(rows.table, order, columns, partitions, order.isGlobal && rows.areRepeatable))
  }

  /** @return None for a column of the table that the rows do not have: it is NULL in all of them */
  private def ordinals(rows: WriteInput, order: TableOrder, names: Seq[String], same: Resolver): Option[Seq[Int]] = {
    val columns = rows.schema
    OrderColumns.find(names, columns, same) match {
      case Some(path) =>
        OrderColumns.requireOrderable(order, rows.table, path, columns)
        val structs =
          path.parts.init.scanLeft(columns)((struct, name) => struct(name).dataType.asInstanceOf[StructType])
        Some(structs.zip(path.parts).map { case (struct, name) => struct.fieldIndex(name) })
      case None if OrderColumns.find(names, rows.tableSchema, same).isDefined => None
      case None =>
        throw ZOrderErrors.sortColumnGone(rows.table, ColumnPath(names).toString, columns.fieldNames.toSeq)
    }
  }
}
