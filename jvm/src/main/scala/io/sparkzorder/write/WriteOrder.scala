// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.column.{ColumnPath, OrderColumns, TableOrder}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.key.KeyType

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The order of a table, found in the rows of one write. Columns are known by their places: the optimizer may give a
 * query's columns other ids, but leaves them where they are.
 *
 * @param table
 *   name of the table, for messages
 * @param columns
 *   per column, its place among the rows' columns and the ordinals of the fields on its way
 * @param partitions
 *   places of the columns by which the writer wants its rows sorted first
 * @param moves
 *   whether rows move between tasks
 */
final case class WriteOrder(
    table: String,
    order: TableOrder,
    columns: Seq[Seq[Int]],
    partitions: Seq[Int],
    moves: Boolean) {

  /** The columns as expressions over the rows' attributes. */
  def expressions(output: Seq[Attribute]): Seq[Expression] = columns.map { places =>
    places.tail.foldLeft[Expression](output(places.head)) { (struct, ordinal) =>
      GetStructField(struct, ordinal, Some(struct.dataType.asInstanceOf[StructType](ordinal).name))
    }
  }

  override def toString: String = {
    val how = if (!order.isZOrder) "" else if (order.isRaw && !moves) ", raw values" else ", ranks"
    s"$order of $table, ${if (moves) "global" else "local"}$how"
  }
}

object WriteOrder extends Logging {

  /**
   * @return
   *   None for a table without an order, where the order has no column left, and where it is not valid and the user wants
   *   to go on
   * @throws ZOrderAnalysisException
   *   where the order is not valid: a column of it is gone, or has lost its order
   */
  def of(rows: RowsToWrite, properties: Map[String, String], conf: SQLConf): Option[WriteOrder] =
    try TableOrder.of(rows.table, properties).flatMap(found(rows, _, conf.resolver))
    catch {
      case e: ZOrderAnalysisException if ZOrderConf.writesOnInvalidOrder(conf) =>
        logWarning(s"Rows are written to ${rows.table} without an order: ${e.getMessage}")
        None
    }

  private def found(rows: RowsToWrite, order: TableOrder, same: Resolver): Option[WriteOrder] = {
    if (rows.isBucketed) throw ZOrderErrors.sortByAndBuckets(rows.table)
    val partitions = rows.partitions.map(p => rows.output.indexWhere(_._2.exprId == p.exprId))
    val columns = order.columns
      .filterNot(c => c.size == 1 && rows.constants.exists(same(_, c.head)))
      .flatMap(place(rows, _, same))
      .filterNot(c => partitions.contains(c.head))
    if (order.isGlobal && !rows.areRepeatable)
      logInfo(s"Rows of ${rows.table} are ordered within their tasks only: computing them twice could give others")
    if (columns.isEmpty) None
    else Some(WriteOrder(rows.table, order, columns, partitions, order.isGlobal && rows.areRepeatable))
  }

  /**
   * The place of a column among those of the rows, and the ordinals of the fields on its way. None for a column of the
   * table that the rows do not have: it is NULL in all of them.
   */
  private def place(rows: RowsToWrite, names: Seq[String], same: Resolver): Option[Seq[Int]] = {
    val columns = rows.schema
    OrderColumns.find(names, columns, same) match {
      case Some(path) =>
        val dataType = path.dataType(columns)
        if (KeyType.of(dataType).isEmpty)
          throw ZOrderErrors.unorderableSortColumn(path.toString, rows.table, dataType)
        val structs =
          path.parts.init.scanLeft(columns)((struct, name) => struct(name).dataType.asInstanceOf[StructType])
        Some(structs.zip(path.parts).map { case (struct, name) => struct.fieldIndex(name) })
      case None if OrderColumns.find(names, rows.tableSchema, same).isDefined => None
      case None =>
        throw ZOrderErrors.sortColumnGone(rows.table, ColumnPath(names).toString, columns.fieldNames.toSeq)
    }
  }
}

/**
 * The rows of a write, and what is known of their table.
 *
 * @param table
 *   name of the table, for messages
 * @param tableSchema
 *   the columns of the table, which may be more than the rows have
 * @param output
 *   the columns of the rows, by the names that they have in the table
 * @param partitions
 *   those by which the writer wants its rows sorted first
 * @param constants
 *   names of partition columns that are the same in all rows, and that the writer does not sort by
 * @param areRepeatable
 *   whether the rows may be computed a second time, for a sample of them
 */
final case class RowsToWrite(
    table: String,
    tableSchema: StructType,
    output: Seq[(String, Attribute)],
    partitions: Seq[Attribute],
    constants: Set[String] = Set.empty,
    isBucketed: Boolean = false,
    areRepeatable: Boolean = true) {

  def schema: StructType = StructType(output.map { case (name, a) => StructField(name, a.dataType, a.nullable) })
}
