// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.{DataType, NullType, StructField, StructType}

/**
 * A column by which a table can be z-ordered, resolved against the table's schema.
 *
 * @param dataType
 *   its type in the table
 * @param keyType
 *   how its values become keys
 */
final case class ZOrderColumn(path: ColumnPath, dataType: DataType, keyType: KeyType) {

  override def toString: String = path.toString

  /** The column as another version of the table's schema has it; None where it has none of an order. */
  def in(schema: StructType): Option[ZOrderColumn] = if (path.isIn(schema)) ZOrderColumn.of(path, schema) else None
}

object ZOrderColumn {

  /** The most columns of one z-order: with more than these each would have fewer than four bits of the index. */
  val Limit = 16

  /** @return None where there is no order for the column's type */
  def of(path: ColumnPath, schema: StructType): Option[ZOrderColumn] = {
    val dataType = path.dataType(schema)
    keyTypeOf(dataType).map(ZOrderColumn(path, dataType, _))
  }

  /** None for types without an order, and for VOID, which has one to Spark and no values to put in it. */
  def keyTypeOf(dataType: DataType): Option[KeyType] = if (dataType == NullType) None else KeyType.of(dataType)
}

/** The columns of a [[TableOrder]], found in the schema of the table, or refused. */
object OrderColumns {

  /**
   * The columns as the table has them, in the order's sequence.
   *
   * @param table
   *   name of the table, for messages
   * @param resolver
   *   whether two names are the same, by the session's case sensitivity
   * @throws ZOrderAnalysisException
   *   for a column that is not there, twice there, a partition's or without an order of its values
   */
  def of(
      order: TableOrder,
      table: String,
      schema: StructType,
      partitionColumns: Seq[String],
      resolver: Resolver): Seq[ZOrderColumn] = {
    checkNumber(order, table)
    def allowed =
      schema.fieldNames.toSeq.filterNot(name => partitionColumns.exists(resolver(_, name))).map(quoteIfNeeded)
    val paths = order.columns.map { names =>
      find(names, schema, resolver).getOrElse {
        throw ZOrderErrors.unknownSortColumn(ColumnPath(names).toString, table, allowed)
      }
    }
    paths.diff(paths.distinct).headOption.foreach(p => throw ZOrderErrors.duplicateSortColumn(p.toString, table))
    paths.find(p => partitionColumns.exists(resolver(_, p.parts.head))).foreach { p =>
      throw ZOrderErrors.partitionSortColumn(p.toString, table, allowed)
    }
    paths.map(requireOrderable(order, table, _, schema))
  }

  /** @throws ZOrderAnalysisException for a column of a type without an order, or without a key of raw values */
  def requireOrderable(order: TableOrder, table: String, path: ColumnPath, schema: StructType): ZOrderColumn = {
    val dataType = path.dataType(schema)
    if (order.isZOrder && order.isRaw && KeyType.of(dataType).isDefined && ZOrderCode.of(dataType).isEmpty)
      throw ZOrderErrors.noRawKey(path.toString, table, dataType)
    ZOrderColumn.of(path, schema).getOrElse {
      throw ZOrderErrors.unorderableSortColumn(path.toString, table, dataType)
    }
  }

  /** @throws ZOrderAnalysisException where a z-order has too few or too many columns */
  def checkNumber(order: TableOrder, table: String): Unit = if (order.isZOrder) {
    if (order.columns.size == 1)
      throw ZOrderErrors.singleZOrderColumn(ColumnPath(order.columns.head).toString, table)
    if (order.columns.size > ZOrderColumn.Limit)
      throw ZOrderErrors.tooManySortColumns(order.columns.size, ZOrderColumn.Limit, table)
  }

  /** The column or field of that name, in the schema's spelling; None where there is none. */
  def find(names: Seq[String], schema: StructType, resolver: Resolver): Option[ColumnPath] = {
    def field(struct: StructType, name: String): Option[StructField] =
      struct.find(_.name == name).orElse(struct.find(f => resolver(f.name, name)))
    field(schema, names.head).flatMap { found =>
      (found.dataType, names.tail) match {
        case (_, Nil) => Some(ColumnPath(Seq(found.name)))
        case (struct: StructType, rest) => find(rest, struct, resolver).map(p => ColumnPath(found.name +: p.parts))
        case _ => None
      }
    }
  }
}
