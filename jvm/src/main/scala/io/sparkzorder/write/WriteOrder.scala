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
   * @param output
   *   the columns of the rows, by the names that they have in the table
   * @param partitions
   *   those by which the writer wants its rows sorted first; columns that are the same in all rows it names nowhere
   * @param static
   *   names of partition columns that are the same in all rows
   * @return
   *   None where the order has no column left, and where it is not valid and the user wants to go on
   * @throws ZOrderAnalysisException
   *   where the order is not valid: a column of it is gone, or has lost its order
   */
  def of(
      table: String,
      properties: Map[String, String],
      output: Seq[(String, Attribute)],
      partitions: Seq[Attribute],
      static: Set[String],
      conf: SQLConf): Option[WriteOrder] =
    try {
      TableOrder.of(table, properties).flatMap { order =>
        val dynamic = partitions.map(p => output.indexWhere(_._2.exprId == p.exprId))
        val rows = StructType(output.map { case (name, a) => StructField(name, a.dataType, a.nullable) })
        val left = order.columns.filterNot(c => c.size == 1 && static.exists(conf.resolver(_, c.head)))
        val columns = left.map(place(table, _, rows, conf.resolver)).filterNot(c => dynamic.contains(c.head))
        if (columns.isEmpty) None else Some(WriteOrder(table, order, columns, dynamic, order.isGlobal))
      }
    } catch {
      case e: ZOrderAnalysisException if ZOrderConf.writesOnInvalidOrder(conf) =>
        logWarning(s"Rows are written to $table without an order: ${e.getMessage}")
        None
    }

  /** The place of a column among those of the rows, and the ordinals of the fields on its way. */
  private def place(table: String, names: Seq[String], rows: StructType, same: Resolver): Seq[Int] = {
    val path = OrderColumns.find(names, rows, same).getOrElse {
      throw ZOrderErrors.sortColumnGone(table, ColumnPath(names).toString, rows.fieldNames.toSeq)
    }
    val dataType = path.dataType(rows)
    if (KeyType.of(dataType).isEmpty) throw ZOrderErrors.unorderableSortColumn(path.toString, table, dataType)
    val structs = path.parts.init.scanLeft(rows)((struct, name) => struct(name).dataType.asInstanceOf[StructType])
    structs.zip(path.parts).map { case (struct, name) => struct.fieldIndex(name) }
  }
}
